import type { Answer, AskingOptions, Conversation, Relay } from '@expert-relay/sdk';
import type { Content } from '@expert-relay/sdk/forms';
import { showHidden } from '@expert-relay/sdk/safe';
import { type Arguments, formOf, isObject, isSame } from './arguments-form.ts';
import { invalidInput, questionAbout, type ToolCall } from './tool-call.ts';

/** What the expert has decided about a call. */
export type ToolDecision =
  | { readonly action: 'approve'; readonly comment: string }
  /** The tool may run with these arguments, and not with those of the call. */
  | { readonly action: 'edit'; readonly arguments: Arguments; readonly comment: string }
  | { readonly action: 'decline'; readonly comment: string };

/** How calls are asked about. */
export interface ApprovalOptions
  extends Pick<AskingOptions, 'messages' | 'confidential' | 'encrypted' | 'signal' | 'timeoutMs'> {
  /** With a `store` or a `secret`, so that a restarted process goes on, and with the `expert` who may approve. */
  readonly relay: Relay;
  /** The name of this run, the same after a restart. With the id of a call it is the name of the question (`once`). */
  readonly run: string;
  /** How the agent is called in the question. Default: `the agent`. */
  readonly agent?: string | undefined;
  /** Gets what the expert writes without deciding. */
  readonly onReply?: ((reply: Answer, call: ToolCall) => void | Promise<void>) | undefined;
}

/**
 * Asks an expert about each call, all at the same time, and waits for all decisions. They are in the order of the calls.
 *
 * @throws RelayError `timeout`, `aborted`, `closed`, `expired` and others: then nothing is approved
 * and nothing declined. The questions stay open: a later call with the same `run` continues with them.
 *
 * @example
 * const call = { id: 'call_1', tool: 'delete_file', arguments: { path: '/tmp/a' } };
 * const [decision] = await decideToolCalls([call], { relay, run: 'job-7' });
 * if (decision?.action === 'approve') await deleteFile('/tmp/a');
 */
export async function decideToolCalls(
  calls: readonly ToolCall[],
  options: ApprovalOptions,
): Promise<readonly ToolDecision[]> {
  refuseRepeated(calls.map(({ id }) => id));
  const stop = new AbortController();
  const forward = () => stop.abort(options.signal?.reason);
  options.signal?.addEventListener('abort', forward);
  if (options.signal?.aborted) forward();
  const deciding = calls.map((call) => decide(call, { ...options, signal: stop.signal }));
  try {
    return await Promise.all(deciding);
  } finally {
    // A framework goes on when all calls are decided, so after an error the others are not waited for.
    stop.abort();
    await Promise.allSettled(deciding);
    options.signal?.removeEventListener('abort', forward);
  }
}

/** The decision about one call would count for the other one, too. */
export function refuseRepeated(ids: readonly string[]): void {
  const id = ids.find((one, index) => ids.indexOf(one) < index);
  if (id === undefined) return;
  throw invalidInput(
    `Two tool calls that wait have the id ${showHidden(id)}: it is not clear which one would run. Nothing was asked. Let the model call them again.`,
  );
}

const closingMs = 10_000;

async function decide(
  call: ToolCall,
  { relay, run, agent = 'the agent', timeoutMs, onReply, ...asking }: ApprovalOptions,
): Promise<ToolDecision> {
  const { form, isEditable } = formOf(call);
  const { signal } = asking;
  const question = questionAbout(call, { agent, isEditable });
  const once = questionName(run, call.id);
  const conversation: Conversation = await relay.ask({ ...asking, question, form, once });
  for (;;) {
    const { action, content, comment } = await conversation.waitForDecision({
      timeoutMs,
      signal,
      onReply: onReply && ((reply) => onReply(reply, call)),
    });
    const decision = action === 'accept' ? readDecision(call, content) : { action };
    if (decision) {
      // Nothing about it changes any more, so that each later process gets the same decision.
      await conversation.close({ signal: AbortSignal.timeout(closingMs) }).catch(() => {});
      return { ...decision, comment };
    }
    // The form is new, since the expert's client takes the old one as answered.
    await conversation.send(notArguments, { form, signal });
  }
}

const notArguments =
  'The arguments are not a JSON object, or have a number with more digits than programs keep, or two members of one name. Nothing has run.';

/** Both are encoded, so that no two calls have the same name. */
export const questionName = (run: string, id: string): string => [run, id].map(encodeURIComponent).join('/');

/** What an accepted form says about the call. Undefined for a text that has no arguments. */
export function readDecision(
  call: ToolCall,
  content: Content,
): { action: 'approve' } | { action: 'edit'; arguments: Arguments } | undefined {
  const { isEditable, read } = formOf(call);
  const chosen = isEditable ? read(content) : call.arguments;
  if (!isEditable || isSame(chosen, call.arguments)) return { action: 'approve' };
  return isObject(chosen) ? { action: 'edit', arguments: chosen } : undefined;
}

/** What the model gets in place of a result when the expert has declined. */
export const refusalOf = ({ comment }: { readonly comment: string }): string =>
  `The expert has declined this call${comment ? `: ${comment}` : '.'}`;

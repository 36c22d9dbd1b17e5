import type { Answer, Conversation } from '@expert-relay/sdk';
import type { Content } from '@expert-relay/sdk/forms';
import { showHidden } from '@expert-relay/sdk/safe';
import { type Arguments, formOf, isObject, isSame } from './arguments-form.ts';
import { closeInTime, questionName, type RunOptions } from './run-options.ts';
import { invalidInput, questionAbout, type ToolCall } from './tool-call.ts';

/** What the expert has decided about a call. */
export type ToolDecision =
  | { readonly action: 'approve'; readonly comment: string }
  /** The tool may run with these arguments, and not with those of the call. */
  | { readonly action: 'edit'; readonly arguments: Arguments; readonly comment: string }
  | { readonly action: 'decline'; readonly comment: string };

/** How calls are asked about. */
export interface ApprovalOptions extends RunOptions {
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
  { run, ...options }: ApprovalOptions,
): Promise<readonly ToolDecision[]> {
  refuseRepeated(calls.map(({ id }) => id));
  return await allOrStop(options.signal, (signal) =>
    calls.map((call) => decideCall(call, questionName(run, call.id), { ...options, signal })),
  );
}

/** Waits for all. A framework goes on when all are answered, so after an error the others are stopped. */
export async function allOrStop<T>(
  signal: AbortSignal | undefined,
  start: (signal: AbortSignal) => readonly Promise<T>[],
): Promise<readonly T[]> {
  const stop = new AbortController();
  const forward = () => stop.abort(signal?.reason);
  signal?.addEventListener('abort', forward);
  if (signal?.aborted) forward();
  const started = start(stop.signal);
  try {
    return await Promise.all(started);
  } finally {
    stop.abort();
    await Promise.allSettled(started);
    signal?.removeEventListener('abort', forward);
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

/** Asks about one call. With a name (`once`), a later process continues with the question after an error; without one, it is closed. */
export async function decideCall(
  call: ToolCall,
  once: string | undefined,
  { relay, agent = 'the agent', timeoutMs, onReply, ...asking }: Omit<ApprovalOptions, 'run'>,
): Promise<ToolDecision> {
  const { form, isEditable } = formOf(call);
  const { signal } = asking;
  const question = questionAbout(call, { agent, isEditable });
  const conversation: Conversation = await relay.ask({ ...asking, question, form, once });
  let isDecided = false;
  try {
    for (;;) {
      const { action, content, comment } = await conversation.waitForDecision({
        timeoutMs,
        signal,
        onReply: onReply && ((reply) => onReply(reply, call)),
      });
      const decision = action === 'accept' ? readDecision(call, content) : { action };
      isDecided = decision !== undefined;
      if (decision) return { ...decision, comment };
      // The form is new, since the expert's client takes the old one as answered.
      await conversation.send(notArguments, { form, signal });
    }
  } finally {
    // Nothing about a decision changes any more, so that each later process gets the same one.
    if (isDecided || once === undefined) await closeInTime(conversation);
  }
}

const notArguments =
  'The arguments are not a JSON object, or have a number with more digits than programs keep, or two members of one name. Nothing has run.';

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

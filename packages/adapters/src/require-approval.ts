import type { Arguments } from './arguments-form.ts';
import { type ApprovalOptions, decideCall, refusalOf } from './decide-tool-calls.ts';
import type { ToolCall } from './tool-call.ts';

/** How the calls of a function are asked about. */
export interface RequireApprovalOptions<A>
  extends Omit<ApprovalOptions, 'run'>,
    Pick<ToolCall, 'schema' | 'description' | 'canEdit'> {
  /** What the function is called in the question. Default: its name. */
  readonly tool?: string | undefined;
  /**
   * Names the question about a call, such as `` ({ invoice }) => `pay/${invoice}` ``: an equal call of that name is the same question,
   * also after a restart, and needs a `store` or a `secret`. Without it, each call is a new question.
   */
  readonly once?: ((args: A) => string) | undefined;
}

/**
 * The expert has declined the call of a function, which has not run.
 *
 * @example
 * try {
 *   await removeLogs({ path: '/var/log/app', days: 30 });
 * } catch (error) {
 *   if (error instanceof DeclinedError) console.log(error.comment);
 *   else throw error;
 * }
 */
export class DeclinedError extends Error {
  override readonly name = 'DeclinedError';

  constructor(readonly comment: string) {
    super(refusalOf({ comment }));
  }
}

/**
 * The function, which runs only when an expert has approved the call, and with the arguments as the expert has left them. It takes one
 * object, as tools do.
 *
 * @throws DeclinedError if the expert has declined; RelayError as {@link decideToolCalls}: then nothing has run, either
 *
 * @example
 * const removeLogs = requireApproval(
 *   function remove_logs({ path, days }: { path: string; days: number }) {
 *     return `Removed the logs in ${path} that are older than ${days} days.`;
 *   },
 *   { relay },
 * );
 * await removeLogs({ path: '/var/log/app', days: 30 });
 */
export function requireApproval<A extends object, R>(
  run: (args: A) => R | Promise<R>,
  { tool = run.name, once, schema, description, canEdit, ...options }: RequireApprovalOptions<A>,
): (args: A) => Promise<R> {
  return async (args) => {
    const call = { id: '', tool, arguments: args, schema, description, canEdit };
    const decision = await decideCall(call, once?.(args), options);
    if (decision.action === 'decline') throw new DeclinedError(decision.comment);
    return await run(decision.action === 'edit' ? (decision.arguments as Arguments & A) : args);
  };
}

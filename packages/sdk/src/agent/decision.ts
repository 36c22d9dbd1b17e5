import type { Content } from '../forms/form.ts';
import type { Protection } from '../thread/message.ts';
import type { ReceivedFile } from '../thread/message-parts.ts';
import type { Answer } from './answer.ts';

/** What every decision has. */
export interface Decided {
  /** What the expert wrote beside it; may be empty. */
  readonly comment: string;
  /** When the expert decided, by the clock of the expert's device. */
  readonly decidedAt: string;
  readonly messageId: string;
  /** When the relay received it, ISO 8601, UTC. */
  readonly createdAt: string;
  readonly protection: Protection;
  readonly files?: readonly ReceivedFile[] | undefined;
  /** True when it has a part that this version cannot show. It does not change what the decision means. */
  readonly hasUnknownPart?: true | undefined;
}

/** A decision of the expert about a form. Its content was checked against the form. */
export type Decision<C = Content> =
  | (Decided & { readonly action: 'accept'; readonly content: C })
  | (Decided & { readonly action: 'decline'; readonly content?: undefined });

/**
 * How long an agent waits for a decision, and how old that may be.
 *
 * @example
 * const onReply = ({ text }: Answer) => console.log(text);
 * const decision = await conversation.waitForDecision({ timeoutMs: 600_000, validForMs: 60_000, onReply });
 */
export interface DecisionOptions {
  /** In milliseconds. Without it, the call waits until the conversation ends. A timeout is not a decision. */
  readonly timeoutMs?: number | undefined;
  /**
   * Gets what the expert writes without deciding, and answers that do not count, while the call goes on to wait. Without it,
   * they remain for a later `waitForAnswer` or loop.
   */
  readonly onReply?: ((reply: Answer) => void | Promise<void>) | undefined;
  /**
   * How old an accept may be whenever it is returned, in milliseconds. Default: no limit. An older one, or one that is dated more
   * than two minutes ahead, is `decision_too_old`, which is no decline: wait for a newer one, or ask again. A decline is never
   * too old. The age is counted by the clock of the expert's device, and at most from when this agent sent the newest
   * message that the expert had seen.
   */
  readonly validForMs?: number | undefined;
  /** Ends the wait with `aborted`, which is no decision. */
  readonly signal?: AbortSignal | undefined;
}

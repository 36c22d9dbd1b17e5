import type { AskingOptions, Conversation, Relay } from '@expert-relay/sdk';

/** How an expert is asked in a run of an agent. */
export interface RunOptions
  extends Pick<AskingOptions, 'messages' | 'confidential' | 'encrypted' | 'signal' | 'timeoutMs'> {
  /** With a `store` or a `secret`, so that a restarted process goes on, and with the `expert` who may answer. */
  readonly relay: Relay;
  /** The name of this run, the same after a restart. With the id of a call it is the name of the question (`once`). */
  readonly run: string;
}

/** Both are encoded, so that no two calls have the same name. */
export const questionName = (run: string, id: string): string => [run, id].map(encodeURIComponent).join('/');

const closingMs = 10_000;

/** What was asked has its answer, so a relay that cannot be reached is no error. */
export const closeInTime = (conversation: Conversation, reason?: string): Promise<void> =>
  conversation.close({ reason, signal: AbortSignal.timeout(closingMs) }).catch(() => {});

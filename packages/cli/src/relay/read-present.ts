import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ExpertMessage, ExpertRequest } from '@expert-relay/sdk/expert';
import { explainError, isRefusal } from '../explain-error.ts';
import type { Failure } from '../failure.ts';

export interface Present {
  readonly messages: readonly ExpertMessage[];
  /** What was refused, or cannot be read here; nothing after it is known. */
  readonly refused: Failure | undefined;
}

/** The messages that are there, without waiting for more; of a request that was read just now, `isFresh`. */
export async function readPresent(
  request: ExpertRequest,
  signal: AbortSignal,
  { isFresh = false } = {},
): Promise<Present> {
  const messages: ExpertMessage[] = [];
  const iterator = request.messages[Symbol.asyncIterator]();
  try {
    if (!isFresh) await request.refresh({ signal });
    for (;;) {
      // What has been read is handed out within this turn; what is yet to come is not.
      const next = await Promise.race([iterator.next(), nextTurn(undefined)]);
      if (!next || next.done) return { messages, refused: undefined };
      messages.push(next.value);
    }
  } catch (error) {
    const failure = explainError(error, signal);
    if (!isRefusal(failure) && failure.code !== 'no_keys_yet') throw failure;
    return { messages, refused: failure };
  } finally {
    // It would take the next message from whoever asks for it.
    await iterator.return?.();
  }
}

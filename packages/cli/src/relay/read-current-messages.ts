import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Message, RelayError } from '@expert-relay/sdk';
import type { ExpertRequest } from '@expert-relay/sdk/expert';
import { explainError, isRefusal } from '../explain-error.ts';
import type { Failure } from '../failure.ts';

export interface CurrentMessages {
  readonly messages: readonly Message[];
  /** The error of a refused or unreadable message. Later messages are unknown. */
  readonly refused: Failure | undefined;
}

/** The messages that exist now, without waiting for more. `isFresh`: the request was just read. */
export async function readCurrentMessages(
  request: ExpertRequest,
  signal: AbortSignal,
  { isFresh = false } = {},
): Promise<CurrentMessages> {
  const messages: Message[] = [];
  const iterator = request.messages[Symbol.asyncIterator]();
  try {
    // That an answer is held says nothing of the messages, which were read.
    if (!isFresh)
      await request.refresh({ signal }).catch((error: unknown) => {
        if (!RelayError.is(error, 'newer_message')) throw error;
      });
    for (;;) {
      // Messages that were read are returned in this turn of the event loop; later ones are not.
      const next = await Promise.race([iterator.next(), nextTurn(undefined)]);
      if (!next || next.done) return { messages, refused: undefined };
      messages.push(next.value);
    }
  } catch (error) {
    const failure = explainError(error, signal);
    if (!isRefusal(failure) && failure.code !== 'no_keys_yet') throw failure;
    return { messages, refused: failure };
  } finally {
    // An open iterator would take the next message from other readers.
    await iterator.return?.();
  }
}

import type { Message } from '@expert-relay/sdk';
import type { RequestHandle } from './conversation-state.ts';

/** Calls `onMessages` with the messages of a request in batches, until the conversation ends or the signal aborts. */
export async function followMessages(
  request: RequestHandle,
  signal: AbortSignal,
  onMessages: (messages: readonly Message[]) => void,
): Promise<void> {
  let arrived: Message[] = [];
  const flush = () => {
    timer = undefined;
    const messages = arrived;
    arrived = [];
    onMessages(messages);
  };
  // Messages that were already read arrive before the timer, as one batch.
  let timer: ReturnType<typeof setTimeout> | undefined = setTimeout(flush);
  const iterator = request.messages[Symbol.asyncIterator]();
  const stop = () => void iterator.return?.();
  signal.addEventListener('abort', stop);
  try {
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
      arrived.push(next.value);
      timer ??= setTimeout(flush);
    }
  } finally {
    signal.removeEventListener('abort', stop);
    clearTimeout(timer);
    flush();
  }
}

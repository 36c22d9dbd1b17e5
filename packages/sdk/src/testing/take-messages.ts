import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ExpertRequest } from '../expert/index.ts';
import type { Message } from '../thread/message.ts';

/** The messages that a client has read and not returned yet. From then on they count as shown. */
export async function takeMessages(request: ExpertRequest): Promise<readonly Message[]> {
  const taken: Message[] = [];
  const iterator = request.messages[Symbol.asyncIterator]();
  for (;;) {
    // Messages that were read are returned in this turn of the event loop; later ones are not.
    const next = await Promise.race([iterator.next(), nextTurn(undefined)]);
    if (!next || next.done) break;
    taken.push(next.value);
  }
  await iterator.return?.();
  return taken;
}

import { missing } from '../crypto/history.ts';
import type { BaseParts } from '../thread/conversation-base.ts';
import { toMessage } from '../thread/describe-message.ts';
import type { Message } from '../thread/message.ts';
import { createThread } from '../thread/thread.ts';
import type { AgentSide } from './agent-side.ts';

/**
 * The messages of both sides. The list is read and checked from its beginning, and must have all that this conversation has
 * read before.
 */
export async function readTranscript(
  { api, thread }: Pick<BaseParts<unknown>, 'api' | 'thread'>,
  own: AgentSide,
  signal: AbortSignal | undefined,
): Promise<readonly Message[]> {
  await thread.read(signal);
  const { side, channel } = await own.again();
  const { requestId } = thread;
  const again = createThread({ api, requestId, side, hasDrafts: () => false, channel });
  await again.read(signal);
  if (again.head?.erasedAt === undefined) {
    const [known, listed] = [thread, again].map(
      ({ state }) => state.channel?.seen.map(([hash]) => hash) ?? [],
    );
    const unlisted = thread.state.channel?.unlisted ?? [];
    const isListed = (hash: string) => unlisted.includes(hash) || listed?.includes(hash);
    if (!known?.every(isListed)) throw missing();
  }
  return again.mailbox.messages.map(toMessage);
}

import { missing } from '../crypto/history.ts';
import type { BaseParts } from '../thread/conversation-base.ts';
import { toMessage } from '../thread/describe-message.ts';
import type { Message } from '../thread/message.ts';
import { Thread } from '../thread/thread.ts';
import type { AgentSide, AgentSideOptions } from './agent-side.ts';

type Parts = Pick<BaseParts<unknown>, 'api' | 'thread'>;

/** The messages of both sides. */
export async function readTranscript(
  parts: Parts,
  own: AgentSide,
  signal: AbortSignal | undefined,
): Promise<readonly Message[]> {
  const again = await readAgain(parts, own, signal);
  return again.mailbox.messages.map(toMessage);
}

/** The list is read and checked from its beginning, and must have all that this conversation has read before. */
export async function readAgain(
  { api, thread }: Parts,
  own: AgentSide,
  signal: AbortSignal | undefined,
  note?: AgentSideOptions['check'],
): Promise<Thread> {
  await thread.read(signal);
  const { side, channel } = await own.again(note);
  const { requestId } = thread;
  const again = new Thread({ api, requestId, side, hasDrafts: () => false, channel });
  await again.read(signal);
  if (again.head?.erasedAt === undefined) {
    const [known, listed] = [thread, again].map(
      ({ state }) => state.channel?.seen.map(([hash]) => hash) ?? [],
    );
    const unlisted = thread.state.channel?.unlisted ?? [];
    const isListed = (hash: string) => unlisted.includes(hash) || listed?.includes(hash);
    if (!known?.every(isListed)) throw missing();
  }
  return again;
}

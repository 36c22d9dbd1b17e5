import type { Part } from '../crypto/frame.ts';
import type { SealedMessage } from '../crypto/message.ts';
import type { ExpertRequest } from '../expert/index.ts';
import type { Conversation } from '../index.ts';
import type { BaseParts } from '../thread/conversation-base.ts';
import { savedParts } from '../thread/message-parts.ts';
import { takeMessages } from './take-messages.ts';

/** Sends what a client of another make may send: nothing checks these parts. */
export async function sendParts(
  request: ExpertRequest | Conversation<unknown>,
  text: string,
  parts: readonly Part[],
): Promise<void> {
  const { thread, api } = (request as unknown as { readonly base: BaseParts<unknown> }).base;
  const { role } = thread.side;
  await request.refresh();
  if (role === 'provider') await takeMessages(request as ExpertRequest);
  const messageId = crypto.randomUUID();
  let body: SealedMessage | null | undefined;
  await thread.seal(
    { messageId, text, parts: savedParts(parts), shown: thread.nameShown() },
    async (sealed) => sealed,
    (sealed) => {
      body = sealed;
    },
  );
  await api.post(`/api/v1/message/${request.requestId}`, { role, ...body }, () => undefined);
}

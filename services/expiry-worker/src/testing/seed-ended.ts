import { randomUUID } from 'node:crypto';
import type { PrismaClient } from '@expert-relay/db';
import { seedRequests } from './seed-requests.ts';

/** Inserts a conversation with all content that ended `endedAgo` milliseconds ago; returns its id. */
export async function seedEnded(
  prisma: PrismaClient,
  { endedAgo, messages = 2 }: { endedAgo: number; messages?: number },
): Promise<string> {
  const [id = ''] = await seedRequests(prisma, { count: 1, dueIn: -endedAgo });
  await prisma.$executeRaw`
    UPDATE help_requests SET
      status = 'closed', ended_at = expires_at, seq = ${messages}::int + 2, response_count = ${messages}, message_count = ${messages},
      content_bytes = 100, question = 'May I?', plaintext = 'I am stuck.', context = '[{"role":"user","content":"x"}]',
      answer_form = '{"type":"object"}', form_kind = 'approval', agent_name = 'bot', agent_versions = '4',
      tags = '{deploy}', follows = '{"files":1,"question":false}', closed_by = 'provider', close_reason = 'Fixed.', consumer_sign_pub_key = 'a', consumer_encrypt_pub_key = 'b', provider_sign_pub_key = 'c',
      provider_encrypt_pub_key = 'd', key_signature = 'e'
    WHERE id = ${id}`;
  await prisma.message.createMany({
    data: Array.from({ length: messages }, (_, index) => {
      const messageId = randomUUID();
      return {
        requestId: id,
        seq: index + 2,
        role: 'provider' as const,
        messageId,
        messageKey: messageId,
        plaintext: 'Yes.',
      };
    }),
  });
  return id;
}

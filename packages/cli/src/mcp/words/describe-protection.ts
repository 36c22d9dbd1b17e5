import type { Conversation, Protection } from '@expert-relay/sdk';
import { z } from 'zod';
import { describeTrust } from '../../commands/ask/describe-trust.ts';

export const protectionSchema = z.object({
  level: z
    .enum(['verified', 'first_contact', 'unverified', 'plain_text'])
    .describe(
      'verified: encrypted, by the known expert. first_contact: encrypted, by an expert met for the first time. unverified: encrypted, by somebody whose keys are not proven. plain_text: not protected.',
    ),
  explanation: z.string(),
  fingerprint: z.string().optional().describe("Of the expert's identity."),
});

const levels = {
  none: 'unverified',
  unverified: 'unverified',
  'first-contact': 'first_contact',
  known: 'verified',
} as const;

/** How much the agent can rely on who wrote an answer, for programs and in words that a model can pass on. */
export function describeProtection(
  protection: Protection,
  conversation: Pick<Conversation, 'verification' | 'fingerprint'>,
): z.infer<typeof protectionSchema> {
  const { verification, fingerprint } = conversation;
  return {
    level: protection === 'plaintext' ? 'plain_text' : levels[verification],
    explanation: describeTrust(protection, conversation),
    ...(fingerprint !== undefined && { fingerprint }),
  };
}

import type { FormKind } from '@expert-relay/db';
import { shortestLifetimeMs } from '@expert-relay/kit/config';
import { jsonText, listOf, optionalTextUpTo } from '@expert-relay/kit/http';
import * as z from 'zod';
import { publicKey } from '../public-key/public-key.ts';

const text = z.string({ error: 'Expected a text.' });
const optionalText = text.nullish().transform((value) => value ?? undefined);

const contextMessage = z.object(
  {
    role: text
      .min(1, 'Expected a role such as user or assistant.')
      .max(64, 'Expected at most 64 characters.'),
    content: text,
  },
  { error: 'Expected an object {role, content}.' },
);

const mostTags = 10;
const expectedTag = 'Expected 1 to 40 characters, none of them a control, a line break or invisible.';
const expectedTags = `Expected a list of at most ${mostTags} different texts.`;

/** A tag is compared and shown as one word or two, so it must not contain what a reader cannot see. */
export const tag = text.regex(
  /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]{1,40}$/u,
  expectedTag,
);
const tags = listOf(tag, { most: mostTags, error: expectedTags }).refine(
  (all) => new Set(all).size === all.length,
  expectedTags,
);

/** A message has at most 16 parts, and files are parts. */
const mostFiles = 16;

const expectedFiles = `Expected a whole number from 0 to ${mostFiles}.`;

const follows = z
  .object(
    {
      files: z.int(expectedFiles).min(0, expectedFiles).max(mostFiles, expectedFiles),
      question: z.boolean('Expected true or false.'),
    },
    { error: 'Expected an object {files, question}.' },
  )
  .transform((given) => (given.files > 0 || given.question ? given : undefined));

/** Seconds. An installation whose conversations are shorter takes only its own lifetime. */
function lifetime(conversationTtl: number) {
  const most = Math.floor(conversationTtl / 1_000);
  const least = Math.min(most, shortestLifetimeMs / 1_000);
  const expected = `Expected a whole number of seconds from ${least} to ${most}.`;
  return z
    .number(expected)
    .refine((seconds) => Number.isInteger(seconds) && seconds >= least && seconds <= most, expected);
}

/** Only clients read what is inside. */
const answerForm = z.object({
  type: z.literal('object'),
  properties: z.record(z.string(), z.unknown()).optional(),
});

/** A form without fields asks for an approval. */
export const formKindOf = (form: string): FormKind =>
  Object.keys(answerForm.parse(JSON.parse(form)).properties ?? {}).length > 0 ? 'form' : 'approval';

const missingKey = 'This member is required. Only a submit with `plaintext` may omit both public keys.';

/** The body of a submit without its `apiKey`, which the gateway checks. */
export const submitSchema = (conversationTtl: number) =>
  z
    .object({
      consumerSignPubKey: publicKey('ed25519').nullish(),
      consumerEncryptPubKey: publicKey('x25519').nullish(),
      messages: listOf(contextMessage, {
        most: 3_000,
        error: 'Expected a list of at most 3,000 {role, content}; it may be empty.',
      }),
      question: optionalText,
      plaintext: optionalText,
      answerForm: jsonText({
        most: 8_192,
        schema: answerForm,
        error: 'Expected JSON text like {"type": "object", "properties": {...}}, without a member twice.',
      }).nullish(),
      agentName: optionalTextUpTo(100),
      agentVersions: optionalTextUpTo(32),
      idempotencyKey: optionalTextUpTo(255),
      expiresIn: lifetime(conversationTtl).nullish(),
      tags: tags.nullish().transform((given) => (given?.length ? given : undefined)),
      follows: follows.nullish().transform((given) => given ?? undefined),
    })
    .superRefine((body, context) => {
      const { consumerSignPubKey, consumerEncryptPubKey, plaintext } = body;
      // A conversation without encryption needs no keys. One key without the other is always an error.
      if (plaintext && !consumerSignPubKey && !consumerEncryptPubKey) return;
      for (const path of ['consumerSignPubKey', 'consumerEncryptPubKey'] as const) {
        if (typeof body[path] === 'string') continue;
        context.addIssue({ code: 'custom', input: undefined, path: [path], message: missingKey });
      }
    })
    // Without keys there is no pick-up that something could follow.
    .transform((body) => (body.consumerSignPubKey ? body : { ...body, follows: undefined }));

export type Submission = z.infer<ReturnType<typeof submitSchema>>;

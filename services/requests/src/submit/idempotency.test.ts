import { parseBody } from '@expert-relay/kit/http';
import { describe, expect, test } from '@jest/globals';
import { idempotencyKeyOf } from './idempotency.ts';
import { submitSchema } from './submit-schema.ts';

const schema = submitSchema(72 * 3_600_000);
const body = { messages: [], question: 'May I?', plaintext: 'May I?' };
const digestOf = (members: object) =>
  idempotencyKeyOf('key', parseBody(schema, { ...body, ...members }))?.bodyDigest.toString('hex');

describe('the digest of a body', () => {
  test.each([
    'consumerSignPubKey',
    'consumerEncryptPubKey',
    'answerForm',
    'agentName',
    'agentVersions',
    'idempotencyKey',
    'expiresIn',
    'tags',
    'follows',
  ])('is the same with %s: null and without it', (name) => {
    expect(digestOf({ [name]: null })).toBe(digestOf({}));
  });
});

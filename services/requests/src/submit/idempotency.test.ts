import { createHash } from 'node:crypto';
import { parseBody } from '@expert-relay/kit/http';
import { describe, expect, test } from '@jest/globals';
import { idempotencyKeyOf } from './idempotency.ts';
import { submitSchema } from './submit-schema.ts';

const schema = submitSchema(72 * 3_600_000);
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
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

  test('is that of its members without null, as the release before has stored it', () => {
    expect(digestOf({})).toBe(sha256('{"messages":[],"question":"May I?","plaintext":"May I?"}'));
    expect(digestOf({ expiresIn: 60, agentName: 'null', tags: ['null'] })).toBe(
      sha256(
        '{"messages":[],"question":"May I?","plaintext":"May I?","agentName":"null","expiresIn":60,"tags":["null"]}',
      ),
    );
  });
});

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
  ])('is the same with %s: null and without it', (name) => {
    expect(digestOf({ [name]: null })).toBe(digestOf({}));
  });

  test('of a body with null is also what earlier releases have stored', () => {
    const { isOfBody } = idempotencyKeyOf('key', parseBody(schema, { ...body, expiresIn: null })) ?? {};
    const stored = (text: string) => createHash('sha256').update(text).digest();
    const json = '{"messages":[],"question":"May I?","plaintext":"May I?"';
    expect(isOfBody?.(stored(`${json},"expiresIn":null}`))).toBe(true);
    expect(isOfBody?.(stored(`${json}}`))).toBe(true);
    expect(isOfBody?.(stored(`${json},"expiresIn":60}`))).toBe(false);
  });

  test('of a body without null is what earlier releases have stored', () => {
    expect(digestOf({})).toBe(sha256('{"messages":[],"question":"May I?","plaintext":"May I?"}'));
    expect(digestOf({ expiresIn: 60, agentName: 'null', tags: ['null'] })).toBe(
      sha256(
        '{"messages":[],"question":"May I?","plaintext":"May I?","agentName":"null","expiresIn":60,"tags":["null"]}',
      ),
    );
  });
});

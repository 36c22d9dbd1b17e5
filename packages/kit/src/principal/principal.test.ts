import { createHash, createHmac, randomBytes, randomUUID } from 'node:crypto';
import { create, toBinary } from '@bufbuild/protobuf';
import { describe, expect, test } from '@jest/globals';
import type { KeysWithIds } from '../config/index.ts';
import { SignedPrincipalSchema } from '../generated/relay/principal/v1/principal_pb.ts';
import {
  createPrincipalSigner,
  createPrincipalVerifier,
  type Principal,
  type PrincipalVerifier,
  type Refusal,
} from './index.ts';

const key = (id: string) => ({ id, secret: randomBytes(32) });
const current = key('k2');
const previous = key('k1');
const clock = { time: 1_000_000, now: () => clock.time };

const signer = (options: { caller?: string; audience?: string; keys?: KeysWithIds } = {}) =>
  createPrincipalSigner({ caller: 'gateway', audience: 'requests', keys: [current], clock, ...options });
const verifier = () =>
  createPrincipalVerifier({
    audience: 'requests',
    callers: {
      gateway: { keys: [current, previous], kinds: ['consumer', 'provider', 'nobody'] },
      dashboard: { keys: [key('d1')], kinds: ['session', 'signin'] },
    },
    clock,
  });
/** Checks a header as a process that has accepted no other one. */
const verify: PrincipalVerifier = (header, call) => verifier()(header, call);
const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest();
const bodyDigest = new Uint8Array(sha256(''));

const consumer: Principal = {
  kind: 'consumer',
  apiKeyId: randomUUID(),
  userId: randomUUID(),
  secret: { createdAt: 1_700_000_000_000 },
};
const call = { method: 'POST', path: '/api/v1/help?x=1' };
const callId = randomUUID();

test('a signed principal is accepted for its call', () => {
  const header = signer()({ principal: consumer, ...call, callId });
  expect(verify(header, call)).toEqual({
    verified: { caller: 'gateway', principal: consumer, callId, bodyDigest },
  });
});

test('a principal contains the time when the secret of its key was made, and when it expires', () => {
  for (const secret of [
    { createdAt: 1_700_000_000_123 },
    { createdAt: 1_700_000_000_123, endsAt: 1_800_000_000_456 },
  ]) {
    const principal: Principal = { ...consumer, kind: 'provider', secret };
    expect(verify(signer()({ principal, ...call, callId }), call)).toEqual({
      verified: { caller: 'gateway', principal, callId, bodyDigest },
    });
  }
});

test('each call of one principal is signed', () => {
  const sign = signer();
  const headers = [callId, randomUUID()].map((id) => ({
    id,
    header: sign({ principal: consumer, ...call, callId: id }),
  }));
  for (const { id, header } of headers)
    expect(verify(header, call)).toEqual({
      verified: { caller: 'gateway', principal: consumer, callId: id, bodyDigest },
    });
});

test('the previous key is accepted during a rotation', () => {
  const header = signer({ keys: [previous, current] })({ principal: consumer, ...call, callId });
  expect(verify(header, call).verified?.principal).toEqual(consumer);
});

test('a principal states the digest of the body', () => {
  const header = signer()({ principal: consumer, ...call, callId, body: Buffer.from('{"a":1}') });
  expect(verify(header, call).verified?.bodyDigest).toEqual(new Uint8Array(sha256('{"a":1}')));
});

describe('a principal is accepted once', () => {
  const repeated = { refused: { reason: 'repeated', caller: 'gateway' } };

  test('as long as it is valid', () => {
    const start = clock.time;
    for (const issuedAt of [start, start + 9_999, start + 10_000]) {
      clock.time = issuedAt;
      const header = signer()({ principal: consumer, ...call, callId });
      const accepts = verifier();
      expect(accepts(header, call).verified).toBeDefined();
      for (let waited = 0; waited <= 30_000; waited += 500) {
        clock.time = issuedAt + waited;
        // Other calls must not make it forget this one.
        expect(
          accepts(signer()({ principal: consumer, ...call, callId: randomUUID() }), call).verified,
        ).toBeDefined();
        expect(accepts(header, call)).toEqual(repeated);
      }
    }
    clock.time = start;
  });

  test('also when it was issued by a clock that is ahead', () => {
    clock.time += 30_000;
    const header = signer()({ principal: consumer, ...call, callId });
    clock.time -= 30_000;
    const accepts = verifier();
    expect(accepts(header, call).verified).toBeDefined();
    clock.time += 60_000;
    expect(accepts(header, call)).toEqual(repeated);
    clock.time -= 60_000;
  });

  test('and the same call is signed again for its next attempt, even in the same millisecond', () => {
    const sign = signer();
    const accepts = verifier();
    for (let attempt = 0; attempt < 3; attempt++)
      expect(accepts(sign({ principal: consumer, ...call, callId }), call).verified).toBeDefined();
  });
});

test('a principal without the digest of a body is refused, since its body could be replaced', () => {
  const { apiKeyId, userId } = consumer as Extract<Principal, { kind: 'consumer' }>;
  const signed = create(SignedPrincipalSchema, {
    ...call,
    audience: 'requests',
    callId,
    issuedAtMs: BigInt(clock.time),
    serial: 1n,
    principal: { case: 'consumerKey', value: { apiKeyId, userId } },
  });
  const text = `gateway.k2.${Buffer.from(toBinary(SignedPrincipalSchema, signed)).toString('base64url')}`;
  const header = `${text}.${createHmac('sha256', current.secret).update(text).digest('base64url')}`;
  expect(verify(header, call)).toEqual({ refused: { reason: 'malformed', caller: 'gateway' } });
});

describe('a header is refused, with the reason:', () => {
  const header = signer()({ principal: consumer, ...call, callId });
  const caller = 'gateway';
  const [name, keyId, payload, mac] = header.split('.');

  test('another method or path', () => {
    expect(verify(header, { ...call, method: 'GET' })).toEqual({
      refused: { reason: 'wrong_method', caller },
    });
    expect(verify(header, { ...call, path: '/api/v1/help' })).toEqual({
      refused: { reason: 'wrong_path', caller },
    });
  });

  test('another audience', () => {
    const other = signer({ audience: 'messages' })({ principal: consumer, ...call, callId });
    expect(verify(other, call)).toEqual({ refused: { reason: 'wrong_audience', caller } });
  });

  test.each<[string, Parameters<typeof signer>[0], Refusal]>([
    ['a key of another name', { keys: [key('k9')] }, { reason: 'unknown_key', caller }],
    ['another secret', { keys: [key('k2')] }, { reason: 'wrong_mac', caller }],
    ['a key of another caller', { caller: 'dashboard' }, { reason: 'unknown_key', caller: 'dashboard' }],
    ['a caller that is not known', { caller: 'x' }, { reason: 'unknown_caller' }],
  ])('%s', (_, options, refused) => {
    const forged = signer(options)({ principal: consumer, ...call, callId });
    expect(verify(forged, call)).toEqual({ refused });
  });

  test('a kind that this caller may not send', () => {
    const session: Principal = {
      kind: 'session',
      sessionId: 's',
      userId: randomUUID(),
      begunAt: 1,
      endsAt: 2,
    };
    const forged = signer()({ principal: session, ...call, callId });
    expect(verify(forged, call)).toEqual({ refused: { reason: 'wrong_kind', caller } });
  });

  test('after 30 seconds, and from a clock that is 30 seconds ahead', () => {
    clock.time += 30_001;
    expect(verify(header, call)).toEqual({ refused: { reason: 'expired', caller, ageMs: 30_001 } });
    clock.time -= 60_002;
    expect(verify(header, call)).toEqual({ refused: { reason: 'expired', caller, ageMs: -30_001 } });
    clock.time += 30_001;
    expect(verify(header, call).verified).toBeDefined();
  });

  test.each([
    ['no header', undefined, 'missing'],
    ['an empty one', '', 'missing'],
    ['one part too many', `${header}.x`, 'malformed'],
    ['one part too few', `${name}.${keyId}.${payload}`, 'malformed'],
    ['another payload', `${name}.${keyId}.CgA.${mac}`, 'wrong_mac'],
    ['no mac', `${name}.${keyId}.${payload}.`, 'wrong_mac'],
  ])('%s', (_, text, reason) => {
    expect(verify(text, call).refused?.reason).toBe(reason);
  });

  test('a header that is cut or changed', () => {
    for (let i = 0; i < header.length - 1; i++) {
      const other = header[i] === 'A' ? 'B' : 'A';
      expect(verify(header.slice(0, i) + other + header.slice(i + 1), call).verified).toBeUndefined();
      expect(verify(header.slice(0, i), call).verified).toBeUndefined();
    }
  });
});

import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import {
  createPrincipalSigner,
  createPrincipalVerifier,
  type Principal,
  type PrincipalKeys,
  parsePrincipalKeys,
} from './index.ts';

const key = (id: string) => ({ id, secret: randomBytes(32) });
const current = key('k2');
const previous = key('k1');
const clock = { time: 1_000_000, now: () => clock.time };

const signer = (options: { caller?: string; audience?: string; keys?: PrincipalKeys } = {}) =>
  createPrincipalSigner({ caller: 'gateway', audience: 'requests', keys: [current], clock, ...options });
const verify = createPrincipalVerifier({
  audience: 'requests',
  callers: {
    gateway: { keys: [current, previous], kinds: ['consumer', 'provider', 'nobody'] },
    dashboard: { keys: [key('d1')], kinds: ['session', 'signin'] },
  },
  clock,
});

const consumer: Principal = { kind: 'consumer', apiKeyId: randomUUID(), userId: randomUUID() };
const call = { method: 'POST', path: '/api/v1/help?x=1' };
const callId = randomUUID();

test('a signed principal is believed for its call', () => {
  const header = signer()({ principal: consumer, ...call, callId });
  expect(verify(header, call)).toEqual({ principal: consumer, callId });
});

test('the same principal is signed anew for each call', () => {
  const sign = signer();
  const headers = [callId, randomUUID()].map((id) => ({
    id,
    header: sign({ principal: consumer, ...call, callId: id }),
  }));
  for (const { id, header } of headers)
    expect(verify(header, call)).toEqual({ principal: consumer, callId: id });
});

test('the previous key is accepted during a rotation', () => {
  const header = signer({ keys: [previous, current] })({ principal: consumer, ...call, callId });
  expect(verify(header, call)?.principal).toEqual(consumer);
});

describe('is refused:', () => {
  const header = signer()({ principal: consumer, ...call, callId });

  test('another method or path', () => {
    expect(verify(header, { ...call, method: 'GET' })).toBeUndefined();
    expect(verify(header, { ...call, path: '/api/v1/help' })).toBeUndefined();
  });

  test('another audience', () => {
    const other = signer({ audience: 'messages' })({ principal: consumer, ...call, callId });
    expect(verify(other, call)).toBeUndefined();
  });

  test('a key of another name, another secret, another caller', () => {
    for (const options of [
      { keys: [key('k9')] },
      { keys: [key('k2')] },
      { caller: 'dashboard' },
      { caller: 'x' },
    ]) {
      const forged = signer(options as { keys: PrincipalKeys })({ principal: consumer, ...call, callId });
      expect(verify(forged, call)).toBeUndefined();
    }
  });

  test('a kind that this caller may not state', () => {
    const session: Principal = { kind: 'session', sessionId: 's', userId: randomUUID() };
    expect(verify(signer()({ principal: session, ...call, callId }), call)).toBeUndefined();
  });

  test('after 30 seconds, and from a clock that is 30 seconds ahead', () => {
    clock.time += 30_001;
    expect(verify(header, call)).toBeUndefined();
    clock.time -= 60_002;
    expect(verify(header, call)).toBeUndefined();
    clock.time += 30_001;
    expect(verify(header, call)).toBeDefined();
  });

  test('anything cut, grown or changed', () => {
    expect(verify(undefined, call)).toBeUndefined();
    expect(verify('', call)).toBeUndefined();
    expect(verify(`${header}.x`, call)).toBeUndefined();
    for (let at = 0; at < header.length - 1; at++) {
      const other = header[at] === 'A' ? 'B' : 'A';
      expect(verify(header.slice(0, at) + other + header.slice(at + 1), call)).toBeUndefined();
      expect(verify(header.slice(0, at), call)).toBeUndefined();
    }
  });
});

describe('keys from the environment', () => {
  const entry = (id: string) => `${id}:${randomBytes(32).toString('base64url')}`;

  test('one or two', () => {
    expect(parsePrincipalKeys('V', entry('a'))).toHaveLength(1);
    expect(parsePrincipalKeys('V', `${entry('a')}, ${entry('b')}`).map(({ id }) => id)).toEqual(['a', 'b']);
  });

  test.each(['', 'a', 'a:short', `${entry('a')},`, [entry('a'), entry('b'), entry('c')].join(',')])(
    'anything else stops the start without showing the value',
    (text) => {
      expect(() => parsePrincipalKeys('RELAY_PRINCIPAL_KEY_X_Y', text)).toThrow(
        /^RELAY_PRINCIPAL_KEY_X_Y is not valid/,
      );
    },
  );
});

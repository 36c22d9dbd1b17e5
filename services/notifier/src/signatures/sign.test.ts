import { describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { makeSecret, signedHeaders } from './sign.ts';

const event = {
  type: 'message.created',
  timestamp: '2026-11-23T13:00:00.000Z',
  data: { refCode: 'HS-7K3M9PQX' },
};

describe('a delivery', () => {
  const id = 'msg_0123456789abcdef0123456789abcdef';
  const body = JSON.stringify(event);
  const now = Date.now();

  test('is verified by the public library of Standard Webhooks', () => {
    const secret = makeSecret();
    const headers = signedHeaders({ id, body }, { secret }, now);
    expect(new Webhook(secret).verify(body, headers)).toEqual(event);
  });

  test('is verified with both secrets during a rotation, and then with the new one only', () => {
    const [secret, old] = [makeSecret(), makeSecret()];
    const during = signedHeaders({ id, body }, { secret, previous: { secret: old, endsAt: now + 1 } }, now);
    for (const one of [secret, old]) expect(new Webhook(one).verify(body, during)).toBeDefined();
    const after = signedHeaders({ id, body }, { secret, previous: { secret: old, endsAt: now } }, now);
    expect(new Webhook(secret).verify(body, after)).toBeDefined();
    expect(() => new Webhook(old).verify(body, after)).toThrow('No matching signature found');
  });

  test.each([
    ['another body', (headers: Record<string, string>) => ({ headers, body: `${body} ` })],
    [
      'another id',
      (headers: Record<string, string>) => ({ headers: { ...headers, 'webhook-id': 'msg_1' }, body }),
    ],
    [
      'another time',
      (headers: Record<string, string>) => ({
        headers: { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) + 1) },
        body,
      }),
    ],
  ])('is not verified with %s', (_, change) => {
    const secret = makeSecret();
    const changed = change(signedHeaders({ id, body }, { secret }, now));
    expect(() => new Webhook(secret).verify(changed.body, changed.headers)).toThrow();
  });
});

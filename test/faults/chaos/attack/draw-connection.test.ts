import { expect, test } from '@jest/globals';
import { type Connection, describeConnection, type Knowledge } from './connection.ts';
import { drawConnection } from './draw-connection.ts';

const knowledge: Knowledge = {
  gatewayHost: '127.0.0.1:8080',
  hubHost: '127.0.0.1:8090',
  userId: 'user',
  consumerKeys: ['hs_consumer-1', 'hs_consumer-2', 'hs_consumer-3'],
  providerKeys: ['hs_prov_provider-1', 'hs_prov_provider-2'],
  cookie: 'session=abcdefgh',
  streamToken: 'header.payload.signature',
  requestIds: ['request-1', 'request-2', 'request-3'],
  refCodes: ['HS-1', 'HS-2', 'HS-3'],
};
const draw = (seed: number, index: number) => describeConnection(drawConnection(seed, index, knowledge));
const many = Array.from({ length: 2_500 }, (_, index) => drawConnection(1, index, knowledge));

test('the same seed and index give the same connection, and others give another one', () => {
  expect(draw(7, 12)).toBe(draw(7, 12));
  const texts = [1, 2, 3].flatMap((seed) =>
    [0, 1, 2, 3].map((index) => draw(seed, index).replace(/^\S+ \d+/, '')),
  );
  expect(new Set(texts).size).toBe(texts.length);
});

test('a connection does not depend on the ones that were drawn before', () => {
  const last = draw(7, 40);
  for (let index = 0; index < 40; index++) draw(7, index);
  expect(draw(7, 40)).toBe(last);
});

test('attackers never use the address of the honest clients', () => {
  const addresses = new Set(many.map(({ from }) => from));
  expect(addresses).not.toContain('127.0.0.1');
  expect(addresses.size).toBeGreaterThan(200);
});

test.each([
  ['CONNECT', /^CONNECT/],
  ['an upgrade', /upgrade: websocket/],
  ['an absolute-form that cannot be parsed', / http:\/\/\[::1 HTTP/],
  ['an unknown Expect', /expect: 200-maybe/],
  [
    'a length and chunks',
    /content-length: \d+\r\ntransfer-encoding: ?chunked|transfer-encoding: chunked\r\ncontent-length/,
  ],
  ['a chunk of the wrong size', /\r\n\r\nfffffff\r\n/],
  ['an HTTP/2 preface', /^PRI \* HTTP/],
  ['a second call on a stream', /^GET \/\?topic=.*\r\n\r\n[A-Z]+ /s],
])('%s is sent', (_, pattern) => {
  const sent = many.flatMap(({ steps }) =>
    steps.flatMap((step) => ('bytes' in step ? step.bytes.toString('latin1') : [])),
  );
  expect(sent.some((text) => pattern.test(text))).toBe(true);
});

test('every key of the user is used, and each one that may read the large conversation reads it slowly', () => {
  const textOf = ({ steps }: Connection) =>
    steps.map((step) => ('bytes' in step ? step.bytes.toString('latin1') : '')).join('');
  const all = many.map(textOf).join('');
  for (const key of [...knowledge.consumerKeys, ...knowledge.providerKeys]) expect(all).toContain(key);
  const slow = many.filter(({ title }) => title.includes('a conversation of many megabytes')).map(textOf);
  for (const key of ['hs_consumer-1', ...knowledge.providerKeys])
    expect(slow.some((text) => text.includes(key))).toBe(true);
});

test('every kind of step is used', () => {
  const done = new Set(many.flatMap(({ steps }) => steps.map(({ does }) => does)));
  expect([...done].sort()).toEqual(
    [
      'half-close',
      'read slowly',
      'reset',
      'send',
      'stop reading',
      'trickle',
      'wait',
      'wait for the end',
    ].sort(),
  );
});

test('only few connections take long', () => {
  const lasting = many.map(({ steps }) =>
    steps.reduce((sum, step) => {
      if (step.does === 'wait') return sum + step.ms;
      if (step.does === 'wait for the end') return sum + step.withinMs;
      if (step.does === 'trickle') return sum + Math.ceil(step.bytes.length / step.size) * step.everyMs;
      return sum;
    }, 0),
  );
  expect(lasting.filter((ms) => ms > 10_000).length).toBeLessThan(many.length * 0.03);
});

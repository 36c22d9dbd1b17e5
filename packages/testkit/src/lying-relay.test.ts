import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { eventually } from './eventually.ts';
import { startLyingRelay } from './lying-relay.ts';

test('a lie is about the calls that arrive after it was told, and no answer of a client that has left counts', async () => {
  const waiting: (() => void)[] = [];
  const gateway = createServer((_request, response) => {
    waiting.push(() => response.end('{}'));
  }).listen(0, '127.0.0.1');
  await once(gateway, 'listening');
  const gatewayUrl = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
  const liar = await startLyingRelay({ gatewayUrl, hubUrl: gatewayUrl });
  const counts = { before: 0, after: 0 };
  const count = (name: keyof typeof counts) => ({
    answer: () => {
      counts[name] += 1;
      return undefined;
    },
  });
  try {
    liar.tell(count('before'));
    const leaving = new AbortController();
    const left = fetch(`${liar.url}/left`, { signal: leaving.signal }).catch(() => 'left');
    const stays = fetch(`${liar.url}/stays`);
    await eventually('both calls', () => waiting.length === 2);
    liar.tell(count('after'));
    leaving.abort();
    expect(await left).toBe('left');
    const later = fetch(`${liar.url}/later`);
    await eventually('the third call', () => waiting.length === 3);
    for (const answer of waiting) answer();
    expect([(await stays).status, (await later).status]).toEqual([200, 200]);
    expect(counts).toEqual({ before: 1, after: 1 });
  } finally {
    await liar.stop();
    gateway.close();
    gateway.closeAllConnections();
  }
});

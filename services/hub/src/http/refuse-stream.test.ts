import { createServer, type Server } from 'node:http';
import { listen } from '@expert-relay/kit/http';
import { type Problem, sendProblem } from '@expert-relay/kit/problem';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { RefusalReason } from '../events/encode.ts';
import { refuseStream } from './refuse-stream.ts';

let server: Server;
let url: string;

/** Answers each request with the reason that its address names. */
beforeAll(async () => {
  server = createServer((request, response) => {
    try {
      refuseStream(response, request.url?.slice(1) as RefusalReason, { retry: 2_000, busyRetry: 60_000 });
    } catch (error) {
      sendProblem(response, error as Problem);
    }
  });
  url = await listen(server, '127.0.0.1', 0);
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

test.each([
  ['stopping', 503, 1, 3],
  ['starting', 503, 1, 3],
  ['busy', 503, 1, 3],
  ['too_many_streams', 503, 30, 90],
  ['too_many_failures', 429, 60, 60],
])(
  '%s: a script gets %i and when to try again, an EventSource an event',
  async (reason, status, least, most) => {
    const script = await fetch(`${url}/${reason}`);
    expect([script.status, script.headers.get('content-type')]).toEqual([status, 'application/problem+json']);
    const seconds = Number(script.headers.get('retry-after'));
    expect(seconds).toBeGreaterThanOrEqual(least);
    expect(seconds).toBeLessThanOrEqual(most);

    const browser = await fetch(`${url}/${reason}`, { headers: { accept: 'text/event-stream' } });
    expect([browser.status, browser.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    const [, retry, rest] = /^retry: (\d+)\n([\s\S]*)$/.exec(await browser.text()) ?? [];
    expect(rest).toBe(`event: hub.end\ndata: {"reason":"${reason}"}\n\n`);
    const isLong = reason.startsWith('too_many');
    expect(Number(retry)).toBeGreaterThanOrEqual(isLong ? 30_000 : 1_000);
    expect(Number(retry)).toBeLessThanOrEqual(isLong ? 90_000 : 3_000);
  },
);

import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { rawResponse } from '../black-box/raw-response.ts';
import { useRelay } from '../black-box/use-relay.ts';
import { hostileBytes } from './hostile-bytes.ts';
import { concurrency, makeDrawnCalls, makeOddCalls, seed } from './make-calls.ts';

/* Some calls for every change. many-calls.test.ts makes many. */

const here = useRelay();

test('500 hostile calls: no 5xx, no hang, only responses that openapi.yaml allows', async () => {
  expect(await makeDrawnCalls(here, 500)).toEqual([]);
});

test('500 calls with an odd text in one place: no 5xx, only responses that openapi.yaml allows', async () => {
  expect((await makeOddCalls(here, 53)).slice(0, 5)).toEqual([]);
});

test('1,000 nearly valid HTTP requests: a status below 500, or no response', async () => {
  const failures: string[] = [];
  const waiting = fc.sample(hostileBytes, { seed, numRuns: 1_000 }).values();
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (const bytes of waiting) {
        const response = await rawResponse(here.relay.url, bytes).catch((error: Error) => ({
          status: 999,
          text: error.message,
        }));
        if (response.status >= 500) {
          failures.push(
            `seed ${seed}: ${response.text}\necho ${bytes.toString('base64')} | base64 -d | nc ${new URL(here.relay.url).host.replace(':', ' ')}`,
          );
        }
      }
    }),
  );
  expect(failures.slice(0, 5)).toEqual([]);
  expect((await here.relay.anonymous.get('/api/health')).json.status).toBe('ok');
});

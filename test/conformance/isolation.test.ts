import { expect, test } from '@jest/globals';
import { unknownRequestId } from '../black-box/samples.ts';
import { useRelay } from '../black-box/use-relay.ts';
import { row } from './contract.ts';

const setup = useRelay();
const rounds = 150;
/** One more query for a foreign request would take a larger part of the time. */
const largestDifference = 0.25;

const median = (times: number[]) =>
  times.sort((one, other) => one - other)[Math.floor(times.length / 2)] ?? 0;

/** The median duration of a call for each id. The ids take turns, so that noise affects all of them. */
async function medianDurations(
  ids: readonly string[],
  call: (id: string) => Promise<{ status: number }>,
): Promise<number[]> {
  const times = ids.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [at, id] of ids.entries()) {
      const start = performance.now();
      expect((await call(id)).status).toBe(404);
      times[at]?.push(performance.now() - start);
    }
  }
  return times.map(median);
}

test(`${row('decisions', 'unknown or foreign request')}, after the same time`, async () => {
  const { requestId } = await setup.alice.consumer.newRequest();
  const ids = [requestId, unknownRequestId()];
  const calls = [
    (id: string) => setup.bob.provider.get(`/api/v1/messages/${id}`),
    (id: string) => setup.bob.provider.post(`/api/v1/message/${id}`, { role: 'provider', plaintext: 'x' }),
  ];
  for (const call of calls) {
    // A real difference shows in each try, noise of a busy machine does not.
    let least = 1;
    for (let tries = 0; tries < 5 && least >= largestDifference; tries++) {
      const [foreign = 0, unknown = 0] = await medianDurations(ids, call);
      least = Math.min(least, Math.abs(foreign - unknown) / Math.max(foreign, unknown));
    }
    expect(least).toBeLessThan(largestDifference);
  }
});

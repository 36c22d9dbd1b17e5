import { expect, jest, test } from '@jest/globals';
import { runChaos } from './run-chaos.ts';
import { usual } from './settings.ts';

// A whole product is started for it, on a machine that runs other tests meanwhile.
jest.setTimeout(240_000);

test('no process ends and nothing of the honest is lost under 1,500 hostile connections', async () => {
  const verdict = await runChaos({ ...usual, connections: 1_500, warmUp: 0, quietMs: 1_000 });
  // Speed and memory are judged by `npm run faults -- chaos`, alone on a machine.
  expect(verdict?.broken).toEqual([]);
  expect(verdict?.connections).toBe(1_500);
  expect(verdict?.events.delivered).toBe(verdict?.events.expected);
  // The attack reached the routes behind the edge.
  for (const status of ['200', '400', '401', '404']) expect(verdict?.outcomes).toHaveProperty(status);
});

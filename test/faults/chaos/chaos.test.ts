import { expect, test } from '@jest/globals';
import { runChaos } from './run-chaos.ts';
import { defaults } from './settings.ts';

test('with 500 hostile connections, no process ends and honest clients lose nothing', async () => {
  // Speed and memory are only checked by `npm run faults -- chaos`, alone on a machine.
  const short = { connections: 500, perSecond: 50, warmUp: 0, quietMs: 0 };
  const result = await runChaos({ ...defaults, ...short });
  expect(result?.broken).toEqual([]);
  expect(result?.connections).toBe(500);
  expect(result?.events.delivered).toBe(result?.events.expected);
  // The attack reached the routes behind the gateway.
  for (const status of ['200', '400', '401', '404']) expect(result?.outcomes).toHaveProperty(status);
});

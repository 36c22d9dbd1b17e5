import { expect, test } from '@jest/globals';
import { reservePort } from './reserve-port.ts';

test('ports that nothing listens on yet are not returned twice', async () => {
  const ports = new Set<number>();
  for (let calls = 0; calls < 500; calls += 1) ports.add(await reservePort());
  expect(ports.size).toBe(500);
});

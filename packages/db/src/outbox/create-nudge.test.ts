import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { subjectsFor } from '@expert-relay/contracts';
import { createLog } from '@expert-relay/kit/log';
import { createNats } from '@expert-relay/kit/nats';
import { eventually } from '@expert-relay/testkit';
import { expect, test } from '@jest/globals';
import { createNudge } from './create-nudge.ts';

test('many nudges in one moment go out as few, at once and once more after the last', async () => {
  const nats = createNats({
    url: process.env.NATS_URL ?? '',
    name: 'test',
    log: createLog('test', { level: 'silent' }),
  });
  await nats.start?.();
  try {
    const connection = await eventually('a connection', () => nats.connection);
    const prefix = `test-${randomUUID().slice(0, 8)}`;
    let heard = 0;
    connection.subscribe(subjectsFor(prefix).nudge, { callback: () => heard++ });
    const nudge = createNudge(nats, prefix);

    nudge();
    await connection.flush();
    expect(heard).toBe(1);

    await pause(20);
    for (let write = 0; write < 1_000; write++) nudge();
    await pause(50);
    await connection.flush();
    expect(heard).toBe(3);
  } finally {
    await nats.stop?.();
  }
});

import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { subjectsFor } from '@expert-relay/contracts';
import { createLog } from '@expert-relay/kit/log';
import { createNats } from '@expert-relay/kit/nats';
import { eventually } from '@expert-relay/testkit';
import { expect, test } from '@jest/globals';
import { createWakeupSender } from './wakeup-sender.ts';

test('of many wakeups at a time two are sent: the first at once, and one after the last', async () => {
  const nats = createNats({
    url: process.env.NATS_URL ?? '',
    name: 'test',
    log: createLog('test', { level: 'silent' }),
  });
  await nats.start?.();
  try {
    const connection = await eventually('a connection', () => nats.connection);
    const prefix = `test-${randomUUID().slice(0, 8)}`;
    let received = 0;
    connection.subscribe(subjectsFor(prefix).wakeup, { callback: () => received++ });
    const wake = createWakeupSender(nats, prefix);

    wake();
    await connection.flush();
    expect(received).toBe(1);

    await pause(20);
    for (let write = 0; write < 1_000; write++) wake();
    await pause(50);
    await connection.flush();
    expect(received).toBe(3);
  } finally {
    await nats.stop?.();
  }
});

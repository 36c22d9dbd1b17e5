import { setTimeout as pause } from 'node:timers/promises';
import type { FanOutSubject } from './fan-out-subject.ts';

const patience = 30_000;

/** Opens so many streams; gives what each takes of the server's memory, in KB. */
export async function openReaders(subject: FanOutSubject, count: number): Promise<number> {
  const before = await subject.usage({ settled: true });
  await subject.readers.ask('open', { port: subject.port, paths: Array(count).fill(subject.path) });
  await pause(500);
  const after = await subject.usage({ settled: true });
  return (after.rss - before.rss) / count / 1_024;
}

/** Events one after the other, each when all readers have had the one before; gives microseconds of CPU a delivery. */
export async function cpuPerDelivery(
  subject: FanOutSubject,
  { readers, events, sofar }: { readers: number; events: number; sofar: number },
): Promise<number> {
  await pause(100);
  const before = await subject.usage();
  for (let event = 1; event <= events; event++) {
    await subject.publish();
    await subject.readers.ask('until', { each: sofar + event, within: patience });
  }
  const after = await subject.usage();
  return (after.cpu - before.cpu) / (events * readers);
}

import { StepError } from '../../scripts/terminal/failure.ts';
import type { Figures, Subject } from './subject.ts';

const succeeded = /^(2\d\d|done)$/;

/** One run of one subject. A call that fails makes the run worthless. */
export async function measureOnce(subject: Subject, count: number): Promise<Figures> {
  const before = await cpuOf(subject);
  const span = await subject.run(count);
  const cpu = (await cpuOf(subject)) - before;
  const failed = Object.entries(span.outcomes).filter(([outcome]) => !succeeded.test(outcome));
  if (failed.length > 0) {
    const list = failed.map(([outcome, calls]) => `${calls} x ${outcome}`).join(', ');
    throw new StepError(`Of ${count} calls of "${subject.name}" some failed: ${list}.`);
  }
  const isOwnLoad = 'done' in span.outcomes;
  return {
    perSecond: count / span.seconds,
    cpu: cpu / count,
    load: isOwnLoad ? undefined : span.cpuSeconds / span.seconds,
  };
}

async function cpuOf({ processes }: Subject): Promise<number> {
  const usages = await Promise.all(processes.map((process) => process.usage()));
  return usages.reduce((sum, { cpu }) => sum + cpu, 0);
}

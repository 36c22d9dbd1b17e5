import type { Environment } from '../../environment/environment.ts';
import { rotate, roundTitle } from '../../measure/compare.ts';
import { formatSpread, spreadOf } from '../../measure/spread.ts';
import type { Line } from '../../measure/table.ts';
import type { Row } from '../row.ts';
import {
  bareHub,
  cpuPerDelivery,
  type FanOutSubject,
  nchan,
  openReaders,
  ourHub,
} from './fan-out-subject.ts';

/** Streams, and events in a round. The largest is first, since a process does not return its memory. */
const sizes = [
  { readers: 10_000, events: 8 },
  { readers: 1_000, events: 80 },
  { readers: 100, events: 400 },
];
const cpuGoal = 1;
const memoryGoal = 1.2;

/** One topic, many streams: CPU for each delivery, and memory for each idle stream. */
export const fanOut: Row = {
  name: 'fan-out',
  onlyByName: true,
  async measure(environment, { progress, rounds }) {
    const { subjects, missing } = await openSubjects(environment);
    const lines: Line[] = [];
    for (const { readers, events } of sizes) {
      const size = readers.toLocaleString('en');
      const figures = subjects.map((subject) => ({ subject, cpu: [] as number[], memory: 0 }));
      for (const one of figures) {
        progress(`${size} streams: ${one.subject.name}`);
        one.memory = await openReaders(one.subject, readers);
      }
      for (let round = 0; round <= rounds; round++) {
        progress(`${size} streams: ${roundTitle(round, rounds)}`);
        for (const { subject, cpu } of rotate(figures, round)) {
          const cost = await cpuPerDelivery(subject, { readers, events, delivered: round * events });
          if (round > 0) cpu.push(cost);
        }
      }
      for (const { subject } of figures) await subject.readers.call('close');
      lines.push(...toLines(size, figures, readers === sizes[0]?.readers));
    }
    return [...lines, ...missing];
  },
};

async function openSubjects(
  environment: Environment,
): Promise<{ subjects: FanOutSubject[]; missing: Line[] }> {
  const [ours, bare] = [await ourHub(environment), await bareHub(environment)];
  try {
    return { subjects: [ours, await nchan(environment), bare], missing: [] };
  } catch (error) {
    const note = `not available, so a bare Node hub is the baseline: ${(error as Error).message}`;
    return { subjects: [ours, bare], missing: [{ title: '  nginx + nchan', note }] };
  }
}

function toLines(
  size: string,
  figures: readonly { subject: FanOutSubject; cpu: readonly number[]; memory: number }[],
  withMemory: boolean,
): Line[] {
  const [ours, base] = figures;
  if (!ours || !base) return [];
  const ratio = spreadOf(ours.cpu.map((cost, round) => cost / (base.cpu[round] ?? Number.NaN)));
  const lines: Line[] = [
    {
      title: `fan-out: CPU of the hub / ${base.subject.name}, ${size} streams`,
      ratio,
      goal: { text: `<= ${cpuGoal.toFixed(2)}`, reached: ratio.median <= cpuGoal },
    },
    ...figures.map(({ subject, cpu }) => ({
      title: `  ${subject.name}`,
      note: `${formatSpread(spreadOf(cpu), 1)} us of CPU a delivery`,
    })),
  ];
  if (!withMemory) return lines;
  const memory = spreadOf([ours.memory / base.memory]);
  return [
    ...lines,
    {
      title: `fan-out: memory of the hub / ${base.subject.name}, ${size} idle streams`,
      ratio: memory,
      goal: { text: `<= ${memoryGoal.toFixed(2)}`, reached: memory.median <= memoryGoal },
    },
    ...figures.map((one) => ({
      title: `  ${one.subject.name}`,
      note: `${one.memory.toFixed(1)} KB a stream`,
    })),
  ];
}

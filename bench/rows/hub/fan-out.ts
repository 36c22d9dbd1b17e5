import { type Spread, spreadOf } from '../../measure/spread.ts';
import type { Line } from '../../measure/table.ts';
import type { Stage } from '../../stage/stage.ts';
import type { Row } from '../row.ts';
import { bareHub, type FanOutSubject, nchan, ourHub } from './fan-out-subject.ts';
import { cpuPerDelivery, openReaders } from './measure-fan-out.ts';

/** Streams, and events in a round. The largest comes first: a process gives no memory back. */
const sizes = [
  { readers: 10_000, events: 8 },
  { readers: 1_000, events: 80 },
  { readers: 100, events: 400 },
];
const cpuGoal = 1;
const memoryGoal = 1.2;

/** One topic, many streams: CPU for each delivery, and memory for each stream that only waits. */
export const fanOut: Row = {
  name: 'fan-out',
  onlyByName: true,
  async play(stage, { progress, rounds }) {
    const { subjects, without } = await castOf(stage);
    const lines: Line[] = [];
    for (const { readers, events } of sizes) {
      const size = readers.toLocaleString('en');
      const figures = subjects.map((subject) => ({ subject, cpu: [] as number[], memory: 0 }));
      for (const one of figures) {
        progress(`${size} streams: ${one.subject.name}`);
        one.memory = await openReaders(one.subject, readers);
      }
      for (let round = 0; round <= rounds; round++) {
        progress(`${size} streams: ${round === 0 ? 'warm-up' : `round ${round} of ${rounds}`}`);
        // Nobody is always the first, or always behind the same other.
        const shift = round % figures.length;
        for (const { subject, cpu } of [...figures.slice(shift), ...figures.slice(0, shift)]) {
          const cost = await cpuPerDelivery(subject, { readers, events, sofar: round * events });
          if (round > 0) cpu.push(cost);
        }
      }
      for (const { subject } of figures) await subject.readers.ask('close');
      lines.push(...toLines(size, figures, readers === sizes[0]?.readers));
    }
    return [...lines, ...without];
  },
};

async function castOf(stage: Stage): Promise<{ subjects: FanOutSubject[]; without: Line[] }> {
  const [ours, bare] = [await ourHub(stage), await bareHub(stage)];
  try {
    return { subjects: [ours, await nchan(stage), bare], without: [] };
  } catch (error) {
    const note = `could not be had, so a bare Node hub is the baseline: ${(error as Error).message}`;
    return { subjects: [ours, bare], without: [{ title: '  nginx + nchan', note }] };
  }
}

function toLines(
  size: string,
  figures: readonly { subject: FanOutSubject; cpu: readonly number[]; memory: number }[],
  tellsMemory: boolean,
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
      note: `${told(spreadOf(cpu))} us of CPU a delivery`,
    })),
  ];
  if (!tellsMemory) return lines;
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

const told = ({ median, min, max }: Spread) => `${median.toFixed(1)} (${min.toFixed(1)}-${max.toFixed(1)})`;

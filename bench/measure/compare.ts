import { measureOnce } from './measure-once.ts';
import { type Spread, spreadOf } from './spread.ts';
import type { Figures, Subject } from './subject.ts';

export interface Compared {
  readonly name: string;
  /** Calls per second, divided by the baseline's of the same round. */
  readonly throughput: Spread;
  /** The baseline's CPU time for one call, divided by this one's: 0.5 costs twice as much. */
  readonly thrift: Spread;
  readonly perSecond: Spread;
  readonly cpu: Spread;
  readonly load: Spread | undefined;
}

/**
 * Lets the subjects run in turn, round after round, so that whatever else the machine does meets them
 * alike. Ratios are taken within a round; the first subject is what the others are divided by.
 */
export async function compare(options: {
  subjects: readonly [Subject, ...Subject[]];
  rounds: number;
  count: number;
  settle: () => Promise<void>;
  progress: (text: string) => void;
}): Promise<readonly Compared[]> {
  const { subjects, rounds, count, settle, progress } = options;
  const figures = new Map<Subject, Figures[]>(subjects.map((subject) => [subject, []]));
  for (let round = 0; round <= rounds; round++) {
    // Nobody is always the first, or always behind the same other.
    const shift = round % subjects.length;
    for (const subject of [...subjects.slice(shift), ...subjects.slice(0, shift)]) {
      progress(`${round === 0 ? 'warm-up' : `round ${round} of ${rounds}`}: ${subject.name}`);
      const measured = await measureOnce(subject, count);
      if (round > 0) figures.get(subject)?.push(measured);
      await settle();
    }
  }

  const baseline = figures.get(subjects[0]) ?? [];
  return subjects.map((subject) => {
    const own = figures.get(subject) ?? [];
    const perRound = (pick: (mine: Figures, base: Figures) => number) =>
      spreadOf(own.map((mine, round) => pick(mine, baseline[round] as Figures)));
    return {
      name: subject.name,
      throughput: perRound((mine, base) => mine.perSecond / base.perSecond),
      thrift: perRound((mine, base) => base.cpu / mine.cpu),
      perSecond: perRound(({ perSecond }) => perSecond),
      cpu: perRound(({ cpu }) => cpu),
      load: own[0]?.load === undefined ? undefined : perRound(({ load = 0 }) => load),
    };
  });
}

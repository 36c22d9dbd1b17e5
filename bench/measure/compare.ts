import { type Spread, spreadOf } from './spread.ts';
import { type Figures, measureOnce, type Subject } from './subject.ts';

export interface ComparisonResult {
  readonly name: string;
  /** Calls per second, divided by the baseline's of the same round. */
  readonly throughput: Spread;
  /** The baseline's CPU time for one call, divided by this subject's: at 0.5 a call costs twice as much. */
  readonly cpuRatio: Spread;
  readonly perSecond: Spread;
  readonly cpu: Spread;
  readonly load: Spread | undefined;
}

/**
 * Measures the subjects in turn, in several rounds, so that other work on the machine affects all of them. Ratios are
 * calculated within a round; the first subject is the baseline.
 */
export async function compare(options: {
  subjects: readonly [Subject, ...Subject[]];
  rounds: number;
  count: number;
  /** Removes the effects of a run before the next one. */
  afterRun: () => Promise<void>;
  progress: (text: string) => void;
}): Promise<readonly ComparisonResult[]> {
  const { subjects, rounds, count, afterRun, progress } = options;
  const figures = new Map<Subject, Figures[]>(subjects.map((subject) => [subject, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const subject of rotate(subjects, round)) {
      progress(`${roundTitle(round, rounds)}: ${subject.name}`);
      const measured = await measureOnce(subject, count);
      if (round > 0) figures.get(subject)?.push(measured);
      await afterRun();
    }
  }

  const baseline = figures.get(subjects[0]) ?? [];
  return subjects.map((subject) => {
    const own = figures.get(subject) ?? [];
    const perRound = (pick: (own: Figures, base: Figures) => number) =>
      spreadOf(own.map((one, round) => pick(one, baseline[round] as Figures)));
    return {
      name: subject.name,
      throughput: perRound((one, base) => one.perSecond / base.perSecond),
      cpuRatio: perRound((one, base) => base.cpu / one.cpu),
      perSecond: perRound(({ perSecond }) => perSecond),
      cpu: perRound(({ cpu }) => cpu),
      load: own[0]?.load === undefined ? undefined : perRound(({ load = 0 }) => load),
    };
  });
}

/** Each round begins with another subject, so that the position in a round gives no advantage. */
export function rotate<T>(all: readonly T[], round: number): readonly T[] {
  const shift = round % all.length;
  return [...all.slice(shift), ...all.slice(0, shift)];
}

/** Round 0 is not counted. */
export const roundTitle = (round: number, rounds: number): string =>
  round === 0 ? 'warm-up' : `round ${round} of ${rounds}`;

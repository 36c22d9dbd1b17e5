import type { Environment } from '../environment/environment.ts';
import { type ComparisonResult, compare } from '../measure/compare.ts';
import { profileRun } from '../measure/profile.ts';
import { measureOnce, type Subject } from '../measure/subject.ts';
import type { Line } from '../measure/table.ts';

/** Something that is measured, with the name that `npm run bench -- <name>` takes. */
export interface Row {
  readonly name: string;
  /** It takes long, or needs the machine for itself, so it runs only if it is named. */
  readonly onlyByName?: true;
  measure(environment: Environment, options: MeasureOptions): Promise<readonly Line[]>;
}

export interface MeasureOptions {
  /** Shows the current step. */
  readonly progress: (text: string) => void;
  readonly rounds: number;
  /** The folder for CPU profiles; no profiles if undefined. */
  readonly profiles: string | undefined;
}

export interface Comparison {
  readonly measured: Subject;
  readonly baseline: Subject;
  /** Further subjects, which are divided by the same baseline. */
  readonly others?: readonly Subject[];
}

/** A row whose figure is the measured subject's throughput divided by the baseline's. */
export function ratioRow(options: {
  name: string;
  goal: number;
  /** Calls in one run. */
  count: number;
  open: (environment: Environment) => Promise<Comparison>;
}): Row {
  const { name, goal, count, open } = options;
  return {
    name,
    async measure(environment, { progress, rounds, profiles }) {
      const { measured, baseline, others = [] } = await open(environment);
      const { waitUntilPublished: afterRun } = environment.database;
      const subjects = [baseline, measured, ...others] as const;
      const results = await compare({ subjects, rounds, count, afterRun, progress });
      const [base, first, ...rest] = results.map(toLine) as [Line, Line, ...Line[]];
      const reached = (first.ratio?.median ?? 0) >= goal;
      const lines: Line[] = [
        { ...first, title: `${name}: ${measured.name}`, goal: { text: `>= ${goal.toFixed(2)}`, reached } },
        { ...base, title: `  / ${base.title}` },
        ...rest.map((line) => ({ ...line, title: `  (${line.title})` })),
      ];
      if (!profiles) return lines;
      for (const subject of [measured, baseline, ...others]) {
        progress(`profile: ${subject.name}`);
        const run = () => measureOnce(subject, count);
        lines.push(...(await profileRun(subject.processes, { count, folder: profiles, row: name }, run)));
      }
      return lines;
    },
  };
}

/** A comparison's figures as a line of the table. */
export const toLine = (result: ComparisonResult): Line => {
  const { name: title, throughput: ratio, cpuRatio, perSecond, cpu, load } = result;
  return { title, ratio, cpuRatio, perSecond, cpu, ...(load && { load }) };
};

import { compare } from '../measure/compare.ts';
import { measureOnce } from '../measure/measure-once.ts';
import type { Subject } from '../measure/subject.ts';
import type { Line } from '../measure/table.ts';
import { profileRun } from '../profile/profile-run.ts';
import type { Stage } from '../stage/stage.ts';
import type { Row } from './row.ts';

export interface Cast {
  readonly measured: Subject;
  readonly baseline: Subject;
  /** Others of interest, divided by the same baseline. */
  readonly beside?: readonly Subject[];
}

/** A row whose figure is the measured subject's throughput divided by the baseline's. */
export function ratioRow(options: {
  name: string;
  goal: number;
  /** Calls in one run. */
  count: number;
  cast: (stage: Stage) => Promise<Cast>;
}): Row {
  const { name, goal, count, cast } = options;
  return {
    name,
    async play(stage, { progress, rounds, profiles }) {
      const { measured, baseline, beside = [] } = await cast(stage);
      const { settled: settle } = stage.database;
      const subjects = [baseline, measured, ...beside] as const;
      const results = await compare({ subjects, rounds, count, settle, progress });
      const [base, first, ...others] = results.map(toLine) as [Line, Line, ...Line[]];
      const reached = (first.ratio?.median ?? 0) >= goal;
      const lines: Line[] = [
        { ...first, title: `${name}: ${measured.name}`, goal: { text: `>= ${goal.toFixed(2)}`, reached } },
        { ...base, title: `  / ${base.title}` },
        ...others.map((line) => ({ ...line, title: `  (${line.title})` })),
      ];
      if (!profiles) return lines;
      for (const subject of [measured, baseline, ...beside]) {
        progress(`profile: ${subject.name}`);
        const run = () => measureOnce(subject, count);
        lines.push(...(await profileRun(subject.processes, { count, folder: profiles, row: name }, run)));
      }
      return lines;
    },
  };
}

/** A comparison's figures as a line of the table. */
export const toLine = (result: Awaited<ReturnType<typeof compare>>[number]): Line => {
  const { name: title, throughput: ratio, thrift, perSecond, cpu, load } = result;
  return { title, ratio, thrift, perSecond, cpu, ...(load && { load }) };
};

import { parseArgs } from 'node:util';
import { StepError } from '../../scripts/terminal/failure.ts';
import { rows as all } from './index.ts';
import type { Row } from './row.ts';

export interface Choice {
  readonly rows: readonly Row[];
  readonly rounds: number;
  readonly profile: boolean;
}

/** What the command line asks for: `[row...] [--rounds 5] [--profile]`. */
export function chooseRows(args: string[]): Choice {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { rounds: { type: 'string', default: '5' }, profile: { type: 'boolean', default: false } },
  });
  const unknown = positionals.find((name) => !all.some((row) => row.name === name));
  if (unknown !== undefined) {
    const names = all.map(({ name }) => name).join(', ');
    throw new StepError(`There is no row "${unknown}". Name some of these, or none for all: ${names}.`);
  }
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) {
    throw new StepError('--rounds takes a whole number from 1; five or more give a median worth telling.');
  }
  const rows = all.filter(({ name, onlyByName }) =>
    positionals.length > 0 ? positionals.includes(name) : !onlyByName,
  );
  return { rows, rounds, profile: values.profile };
}

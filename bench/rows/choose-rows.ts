import { parseArgs } from 'node:util';
import { StepError, UsageError } from '../../scripts/terminal/failure.ts';
import { dashboard } from './dashboard/dashboard.ts';
import { expire } from './expire.ts';
import { gateway, gatewaySubmit } from './gateway.ts';
import { fanOut } from './hub/fan-out.ts';
import { latency } from './hub/latency.ts';
import { resume } from './hub/resume.ts';
import { idle } from './idle.ts';
import { list } from './list.ts';
import { message } from './message.ts';
import { deliver } from './notifier/deliver.ts';
import { roundTrip } from './round-trip.ts';
import type { Row } from './row.ts';
import { submit } from './submit.ts';

const all: readonly Row[] = [
  gateway,
  gatewaySubmit,
  submit,
  message,
  list,
  roundTrip,
  expire,
  fanOut,
  latency,
  resume,
  deliver,
  idle,
  dashboard,
];

const namesOf = (onlyByName: boolean) =>
  all
    .filter((row) => (row.onlyByName ?? false) === onlyByName)
    .map(({ name }) => name)
    .join(', ');

export const usage = `npm run bench -- [row...] [--rounds 5] [--profile]
Rows: ${namesOf(false)}
Only if they are named: ${namesOf(true)}
What they measure: bench/README.md`;

export interface Choice {
  readonly rows: readonly Row[];
  readonly rounds: number;
  readonly profile: boolean;
}

/** What the command line asks for. Undefined for `--help`. */
export function chooseRows(args: string[]): Choice | undefined {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '5' },
      profile: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  const unknown = positionals.find((name) => !all.some((row) => row.name === name));
  if (unknown !== undefined) {
    throw new UsageError(`There is no row "${unknown}".\n${usage}`);
  }
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) {
    throw new StepError('--rounds takes a whole number from 1; five or more give a useful median.');
  }
  const rows = all.filter(({ name, onlyByName }) =>
    positionals.length > 0 ? positionals.includes(name) : !onlyByName,
  );
  return { rows, rounds, profile: values.profile };
}

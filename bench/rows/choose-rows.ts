import { parseArgs } from 'node:util';
import { StepError } from '../../scripts/terminal/failure.ts';
import { dashboard } from './dashboard.ts';
import { encrypt } from './encrypt.ts';
import { expire } from './expire.ts';
import { expireLateness } from './expire-lateness.ts';
import { gateway, gatewaySubmit, traced } from './gateway.ts';
import { fanOut } from './hub/fan-out.ts';
import { hold } from './hub/hold.ts';
import { latency } from './hub/latency.ts';
import { resume } from './hub/resume.ts';
import { idle } from './idle.ts';
import { inbox } from './inbox.ts';
import { list } from './list.ts';
import { memory } from './memory.ts';
import { message } from './message.ts';
import { deliver } from './notifier/deliver.ts';
import { hostileReceivers } from './notifier/hostile-receivers.ts';
import { noEndpoints } from './notifier/no-endpoints.ts';
import { roundTrip } from './round-trip.ts';
import type { Row } from './row.ts';
import { submit, submitThroughGateway } from './submit.ts';

const all: readonly Row[] = [
  gateway,
  gatewaySubmit,
  traced,
  submit,
  submitThroughGateway,
  message,
  list,
  inbox,
  encrypt,
  roundTrip,
  expire,
  fanOut,
  latency,
  hold,
  resume,
  deliver,
  hostileReceivers,
  noEndpoints,
  memory,
  expireLateness,
  idle,
  dashboard,
];

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
    throw new StepError(
      `There is no row "${unknown}". Name one or more of these, or none to run all: ${names}.`,
    );
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

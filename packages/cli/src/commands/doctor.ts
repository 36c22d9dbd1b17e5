import { randomBytes } from 'node:crypto';
import type { WhoAmI } from '@expert-relay/sdk';
import { defineCommand } from '../arguments/command.ts';
import type { Context } from '../context.ts';
import { explainError } from '../explain-error.ts';
import { requireRelay } from '../relay/require-relay.ts';
import { describeSource, profileOption } from '../relay/with-profile.ts';
import type { Style } from '../terminal/screen.ts';
import { checkGateway } from './doctor/check-gateway.ts';
import { checkHub } from './doctor/check-hub.ts';
import { checkFolder, checkIdentity, checkKey } from './doctor/check-setup.ts';
import { type Finding, fail, ok } from './doctor/finding.ts';

export const doctor = defineCommand({
  name: 'doctor',
  summary: 'checks whether everything works, and says what to do if not',
  usage: [''],
  about:
    'Checks the settings, the folder for keys, the gateway, the clock, the key, the hub and its stream. Exit code 0 when nothing failed, else 1.',
  options: { profile: profileOption, json: { help: 'one JSON object' } },
  examples: ['relay doctor'],
  words: [0, 0],
  profiles: ['agent', 'expert'],
  startsWithWrongSettings: true,
  async run(context, { options: { json = false } }) {
    const { out } = context;
    const findings: Finding[] = [];
    for await (const finding of examine(context)) {
      findings.push(finding);
      if (!json) show(context, finding);
    }
    const failed = findings.some(({ state }) => state === 'fail');
    if (json) out.line(JSON.stringify({ ok: !failed, checks: findings }));
    return failed ? 'failed' : 'done';
  },
});

/** Runs the checks one after another. Checks that cannot succeed after a failure are skipped. */
async function* examine(context: Context): AsyncGenerator<Finding> {
  const { config, signal, now } = context;
  if (config.wrong) {
    yield fail('settings', config.wrong.message, 'Then look again: relay doctor');
    return;
  }
  yield checkFolder(config, signal);
  if (config.url) {
    const gateway = await checkGateway({ url: config.url, signal, now });
    yield* gateway;
    if (gateway[0]?.state === 'fail') return;
  }
  let access: ReturnType<typeof requireRelay>;
  try {
    access = requireRelay(config, { kind: 'consumer', folder: context.folder });
  } catch (error) {
    const [message = '', ...next] = explainError(error, signal).message.split('\n');
    yield fail('settings', message, next.join('\n'));
    return;
  }
  yield ok('settings', `of ${describeSource(config)}`);
  const { finding, who } = await checkKey(access, signal);
  yield finding;
  if (!who) return;
  yield* await checkHub({
    url: access.url,
    hubUrl: config.hubUrl,
    signal,
    now,
    ...streamFor(who, access.apiKey),
  });
  yield await checkIdentity(context, access);
}

/** An agent has no topic before its first question, so an unused topic is subscribed. */
function streamFor(
  { topics: [topic] }: WhoAmI,
  apiKey: string,
): { topic: string; apiKey: string | undefined } {
  if (topic !== undefined) return { topic, apiKey };
  return { topic: `/svc/requests/${randomBytes(16).toString('base64url')}`, apiKey: undefined };
}

const styles: Readonly<Record<Finding['state'], Style>> = { ok: 'green', warn: 'yellow', fail: 'red' };

function show({ out }: Context, { state, about, message, next }: Finding): void {
  const column = 18;
  const term = `${state.padEnd(4)}  ${about}`;
  out.entry(term, out.shown(message), { column, style: styles[state] });
  if (next) for (const line of next.split('\n')) out.entry('', out.shown(line), { column });
}

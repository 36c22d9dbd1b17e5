// What the examples of frameworks share: the relay, the name of the run, the state of an agent that was killed, and what their
// scripted models do.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRelay } from '@expert-relay/sdk';
import { createFileStore } from '@expert-relay/sdk/node';

const { AGENT_FOLDER = '.relay/agent' } = process.env;

/** The same name after a restart, and another one for each task. */
export const run = process.argv[2] ?? 'job-1';
export const timeoutMs = Number(process.argv[3] ?? 72 * 3_600_000);

export const openRelay = () => createRelay({ store: createFileStore(join(AGENT_FOLDER, 'relay')) });

export const stateFile = join(AGENT_FOLDER, `${encodeURIComponent(run)}.json`);

export function loadState() {
  try {
    return JSON.parse(readFileSync(stateFile, 'utf8'));
  } catch {
    return undefined;
  }
}

export function saveState(state) {
  mkdirSync(AGENT_FOLDER, { recursive: true, mode: 0o700 });
  writeFileSync(stateFile, JSON.stringify(state), { mode: 0o600 });
}

/** The turns of the scripted models: the arguments of the calls in each. */
const turns = JSON.parse(process.env.AGENT_SCRIPT ?? '[[{ "path": "/var/log/app", "days": 30 }]]');

/** The calls of a turn. Without any, the model says what its calls have returned. */
export const callsOf = (turn) =>
  (turns[turn] ?? []).map((args, index) => ({
    id: `call_${turn}_${index}`,
    name: 'question' in args ? 'ask_expert' : 'remove_logs',
    args,
  }));

export const lastWords = (results) => JSON.stringify(results);

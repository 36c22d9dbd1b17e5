import { defineCommand } from '../arguments/command.ts';
import { readDuration } from '../arguments/read-values.ts';
import type { Context } from '../context.ts';
import type { Outcome } from '../exit-codes.ts';
import { explainError } from '../explain-error.ts';
import { Failure } from '../failure.ts';
import { timing } from '../relay/timing.ts';
import { answerHook } from './hook/answer-hook.ts';
import {
  type Program,
  programs,
  readSettings,
  settingsPath,
  withHooks,
  withoutHooks,
  writeSettings,
} from './hook/hook-settings.ts';

/** The program waits longer than the hook, which first submits the question, and in the end withdraws it. */
const spareSeconds = timing.patienceMs / 1_000 + 15;
const notificationSeconds = 60;

export const hook = defineCommand({
  name: 'hook',
  summary: 'asks your expert where Claude Code or Codex would ask you',
  usage: [
    '[--wait TIME] [--confidential]',
    'install claude|codex --user|--project',
    'uninstall claude|codex --user|--project',
  ],
  about:
    'A PermissionRequest hook: it reads what the program asks for from stdin, asks the expert, and prints the decision for the program. When there is none in time, or anything is wrong, it prints nothing and ends with 0, so that the ordinary prompt appears; stderr says why. Only an expert of RELAY_EXPERT decides. What the rules of this machine keep is never sent: files that have secrets as a rule, and the patterns of hook-rules.json in the folder of RELAY_CONFIG_DIR, {"version": 1, "paths": ["*/billing/*"], "commands": ["*prod*"]}. `install` shows the change to the settings of the program, and makes it after a yes.',
  options: {
    on: {
      value: 'EVENT',
      help: 'what the hook answers: permission, which is the default, or notification, which tells the expert that the agent waits; `install` with notification adds that hook to the one for permissions',
    },
    wait: {
      value: 'TIME',
      help: 'how long to wait for the decision once the question was sent, such as 90s or 2h; 10m by default',
    },
    confidential: {
      help: 'hide the question from the relay: it is sent encrypted once the expert picks it up',
    },
    user: { help: 'with install: in the settings of your user' },
    project: { help: 'with install: in those of the project in this directory' },
    yes: { help: 'with install: make the change without asking' },
  },
  examples: [
    'relay hook install claude --user',
    'relay hook install codex --project --wait 1h',
    'relay hook uninstall claude --user',
  ],
  words: [0, 2],
  // A hook that ended with 2 would decline.
  startsWithWrongSettings: true,
  async run(context, { options, words: [verb, program] }) {
    const { on = 'permission', wait = '10m', confidential = false, user, project, yes = false } = options;
    const run = { wait: readDuration('--wait', wait), confidential };
    if (on !== 'permission' && on !== 'notification') throw usage('--on is permission or notification.');
    if (verb === undefined) return await answer(context, { ...run, on });
    if (verb !== 'install' && verb !== 'uninstall') throw usage(`There is no \`relay hook ${verb}\`.`);
    if (!isProgram(program)) throw usage('Name the program: claude or codex.');
    if ((user === undefined) === (project === undefined)) throw usage('Say where: --user or --project.');
    if (program === 'codex' && on === 'notification') throw usage('Codex has no hook for notifications.');
    const place = user ? 'user' : 'project';
    const path = settingsPath(program, place, context.folder);
    const before = readSettings(path);
    const commandOf = (event: string) => {
      const flags = [
        event === 'Notification' && '--on notification',
        `--wait ${wait}`,
        confidential && '--confidential',
      ];
      return [startOf(place), 'hook', ...flags].filter(Boolean).join(' ');
    };
    const permission = { event: 'PermissionRequest', timeout: run.wait / 1_000 + spareSeconds } as const;
    const events = [
      permission,
      ...(on === 'notification' ? [{ event: 'Notification', timeout: notificationSeconds } as const] : []),
    ].map((one) => ({ ...one, command: commandOf(one.event) }));
    const after = verb === 'install' ? withHooks(before, events) : withoutHooks(before);
    return await change(context, { path, before: before.hooks, after, yes, next: nextAt(place) });
  },
});

/** A coding agent takes the exit code 2 of a hook for a no: whatever is wrong with its command line, it ends with 0. */
export const isHookRun = ([name, verb]: readonly string[]): boolean =>
  name === 'hook' && verb !== 'install' && verb !== 'uninstall';

async function answer(context: Context, plan: Parameters<typeof answerHook>[1]): Promise<Outcome> {
  const { out, err, signal } = context;
  try {
    const decision = await answerHook(context, plan);
    if (decision) out.line(JSON.stringify(decision));
  } catch (error) {
    err.paragraph(
      `No decision of the expert: the ordinary prompt appears. ${explainError(error, signal).message}`,
    );
  }
  return 'done';
}

interface Change {
  readonly path: string;
  readonly before: unknown;
  readonly after: ReturnType<typeof withoutHooks>;
  readonly yes: boolean;
  /** What the user does then. */
  readonly next: string;
}

/** Shows the change, and makes it after a yes. */
async function change(
  { out, err, input }: Context,
  { path, before, after, yes, next }: Change,
): Promise<Outcome> {
  const [old, now] = [before, after.hooks].map((hooks) => JSON.stringify(hooks ?? {}, null, 2));
  if (old === now) {
    err.paragraph(`${path} stays as it is.`);
    return 'done';
  }
  out.line(`${path}, "hooks":`);
  for (const line of old?.split('\n') ?? []) if (!now?.split('\n').includes(line)) out.line(`- ${line}`);
  for (const line of now?.split('\n') ?? [])
    out.line(`${old?.split('\n').includes(line) ? ' ' : '+'} ${line}`);
  if (!yes) {
    const answer = input.isTerminal ? await input.readLine('Make this change? [y/N] ') : undefined;
    if (!/^y(es)?$/i.test(answer?.trim() ?? ''))
      throw usage('Nothing was changed. --yes makes the change without asking.');
  }
  writeSettings(path, after);
  err.paragraph(`${path} is written. ${next}`);
  return 'done';
}

const nextAt = (place: 'user' | 'project'): string =>
  [
    'The program must be started again, with RELAY_URL, RELAY_API_KEY and RELAY_EXPERT in its environment.',
    place === 'project' &&
      'On each machine it starts `relay` from its PATH: install this command there with npm install --global.',
  ]
    .filter(Boolean)
    .join(' ');

/** How the program starts this one. A project's settings are for other machines, too. */
function startOf(place: 'user' | 'project'): string {
  const [node, script = ''] = process.argv;
  return place === 'project' ? 'relay' : `"${node}" "${script}"`;
}

const isProgram = (name: string | undefined): name is Program =>
  (programs as readonly (string | undefined)[]).includes(name);

const usage = (message: string) => new Failure('usage', `${message}\nMore: relay help hook`);

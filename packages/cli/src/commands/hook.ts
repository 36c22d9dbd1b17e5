import { defineCommand } from '../arguments/command.ts';
import { readDuration } from '../arguments/read-values.ts';
import { type Config, defaultFolder } from '../config.ts';
import type { Context } from '../context.ts';
import type { Outcome } from '../exit-codes.ts';
import { explainError } from '../explain-error.ts';
import { Failure } from '../failure.ts';
import { timing } from '../relay/timing.ts';
import { answerHook, type HookPlan } from './hook/answer-hook.ts';
import { comesBeforeEachCall } from './hook/hook-input.ts';
import { askUser } from './hook/hook-output.ts';
import {
  type InstalledHook,
  type Program,
  programs,
  readSettings,
  type Settings,
  settingsPath,
  withEnvironment,
  withHooks,
  withoutEnvironment,
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
    'A hook of these programs: it reads from stdin what the program would do, asks the expert, and prints the decision for the program. When there is none in time, or anything is wrong, the ordinary prompt appears: stderr says why, and the hook ends with 0. Questions that Claude Code asks its user (AskUserQuestion) are a form. Only an expert whom RELAY_EXPERT or `relay login --expert` names decides. What the rules of this machine keep is never sent: files that have secrets as a rule, and the patterns of hook-rules.json in the folder of RELAY_CONFIG_DIR, {"version": 1, "paths": ["*/billing/*"], "commands": ["*prod*"]}. `install` shows the change to the settings of the program, and makes it after a yes; for Claude Code it also writes RELAY_EXPERT into their `env`, if no profile counts.',
  options: {
    every: {
      value: 'TOOLS',
      help: 'with install claude: ask about every call of these tools, such as "Bash|Write" or "*", also where Claude Code would not ask',
    },
    notify: { help: 'with install claude: also tell the expert when Claude Code waits for input' },
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
    'relay hook install claude --user --every "Bash|Write"',
    'relay hook install codex --project --wait 1h',
    'relay hook uninstall claude --user',
  ],
  words: [0, 2],
  profiles: ['agent'],
  // A hook that ended with 2 would decline.
  startsWithWrongSettings: true,
  async run(context, { options, words: [verb, program] }) {
    const { wait = '10m', confidential = false, every, notify = false, user, project, yes = false } = options;
    const run = { wait: readDuration('--wait', wait), confidential };
    if (verb === undefined) return await answer(context, run);
    if (verb !== 'install' && verb !== 'uninstall') throw usage(`There is no \`relay hook ${verb}\`.`);
    if (!isProgram(program)) throw usage('Name the program: claude or codex.');
    if ((user === undefined) === (project === undefined)) throw usage('Say where: --user or --project.');
    if (program === 'codex' && (notify || every !== undefined))
      throw usage('--every and --notify are for Claude Code.');
    const place = user ? 'user' : 'project';
    const path = settingsPath(program, place, context.folder);
    const before = readSettings(path);
    const flags = [`--wait ${wait}`, ...(confidential ? ['--confidential'] : [])];
    const hook = {
      command: [startOf(place), 'hook', ...flags].join(' '),
      timeout: run.wait / 1_000 + spareSeconds,
    };
    const hooks = [
      ...permissionHooks(every).map((one) => ({ ...hook, ...one })),
      ...(notify ? [{ ...hook, event: 'Notification', timeout: notificationSeconds } as const] : []),
    ];
    const variables = program === 'claude' ? variablesOf(context.config, place) : {};
    const after =
      verb === 'install'
        ? withEnvironment(withHooks(before, hooks), variables)
        : withoutEnvironment(withoutHooks(before), environmentNames);
    const next = verb === 'install' ? nextOf(program, place) : '';
    return await change(context, { path, before, after, yes, next });
  },
});

/** A call of the tools of `every` is asked about once: before it, and not again where the program would ask, too. */
function permissionHooks(every: string | undefined): readonly Pick<InstalledHook, 'event' | 'matcher'>[] {
  if (every === undefined) return [{ event: 'PermissionRequest' }];
  const before = { event: 'PreToolUse', matcher: every } as const;
  if (every === '*') return [before];
  if (!isPattern(every)) throw usage('--every is a list of tools such as "Bash|Write", or "*".');
  return [before, { event: 'PermissionRequest', matcher: `^(?!(${every})$)` }];
}

function isPattern(text: string): boolean {
  try {
    new RegExp(text);
    return text !== '';
  } catch {
    return false;
  }
}

const environmentNames = ['RELAY_EXPERT', 'RELAY_CONFIG_DIR'];

/** What the hook needs in the program's environment besides a profile. A key is never written into settings. */
function variablesOf(
  { expert, profile, folder }: Config,
  place: 'user' | 'project',
): Readonly<Record<string, string>> {
  const isOwnFolder = place === 'user' && folder !== defaultFolder;
  return {
    ...(expert && profile === undefined && { RELAY_EXPERT: expert.join(',') }),
    ...(isOwnFolder && { RELAY_CONFIG_DIR: folder }),
  };
}

/** A coding agent takes the exit code 2 of a hook for a no: whatever is wrong with its command line, it ends with 0. */
export const isHookRun = ([name, verb]: readonly string[]): boolean =>
  name === 'hook' && verb !== 'install' && verb !== 'uninstall';

async function answer(context: Context, plan: HookPlan): Promise<Outcome> {
  const { out, err, input, signal } = context;
  const print = (output: object | undefined) => output && out.line(JSON.stringify(output));
  let text = '';
  try {
    text = (await input.readText()).trim();
    print(await answerHook(context, plan, text));
  } catch (error) {
    const why = `No decision of the expert. ${explainError(error, signal).message}`;
    err.paragraph(`${why} The ordinary prompt appears.`);
    if (comesBeforeEachCall(text)) print(askUser(why));
  }
  return 'done';
}

interface Change {
  readonly path: string;
  readonly before: Settings;
  readonly after: Settings;
  readonly yes: boolean;
  /** What the user does then. */
  readonly next: string;
}

/** The members that this command changes. Other variables may be secrets, and are not shown. */
function shownOf({ hooks, env = {} }: Settings): string[] {
  const own = Object.entries(env).filter(([name]) => environmentNames.includes(name));
  const shown = { ...(own.length > 0 && { env: Object.fromEntries(own) }), ...(hooks && { hooks }) };
  return JSON.stringify(shown, null, 2).split('\n');
}

/** Shows the change, and makes it after a yes. */
async function change(
  { out, err, input }: Context,
  { path, before, after, yes, next }: Change,
): Promise<Outcome> {
  const [old, now] = [shownOf(before), shownOf(after)];
  if (old.join() === now.join()) {
    err.paragraph(`${path} stays as it is.`);
    return 'done';
  }
  out.line(`${path}:`);
  for (const line of old) if (!now.includes(line)) out.line(`- ${line}`);
  for (const line of now) out.line(`${old.includes(line) ? ' ' : '+'} ${line}`);
  if (!yes) {
    const answer = input.isTerminal ? await input.readLine('Make this change? [y/N] ') : undefined;
    if (!/^y(es)?$/i.test(answer?.trim() ?? ''))
      throw usage('Nothing was changed. --yes makes the change without asking.');
  }
  writeSettings(path, after);
  err.paragraph(`${path} is written. ${next}`);
  return 'done';
}

const nextOf = (program: Program, place: 'user' | 'project'): string =>
  [
    'The program must be started again, with RELAY_URL, RELAY_API_KEY and RELAY_EXPERT in its environment, unless `relay login` has stored them.',
    program === 'codex' && 'Codex runs a hook only when you have trusted it there: /hooks.',
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

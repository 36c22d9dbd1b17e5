import { randomUUID } from 'node:crypto';
import { readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { Failure } from '../../failure.ts';
import { makeFolder } from '../../store/make-folder.ts';

export const programs = ['claude', 'codex'] as const;
export type Program = (typeof programs)[number];

/** One hook of this program. */
export interface InstalledHook {
  readonly event: 'PermissionRequest' | 'PreToolUse' | 'Notification';
  /** The tools for whose calls the program starts it: a regular expression. All without it. */
  readonly matcher?: string;
  readonly command: string;
  readonly timeout: number;
}

/** What is set in the program's environment, by the variables of the command line. */
export type HookEnvironment = Readonly<Record<string, string>>;

const group = z.looseObject({ hooks: z.array(z.looseObject({ command: z.string().optional() })) });
const schema = z.looseObject({
  hooks: z.record(z.string(), z.array(group)).optional(),
  env: z.record(z.string(), z.unknown()).optional(),
});
export type Settings = z.infer<typeof schema>;

/** The file in which a program finds its hooks. */
export function settingsPath(program: Program, place: 'user' | 'project', folder: string): string {
  const base = place === 'user' ? homedir() : folder;
  return program === 'claude' ? join(base, '.claude/settings.json') : join(base, '.codex/hooks.json');
}

export function readSettings(path: string): Settings {
  const text = readIfAny(path);
  try {
    return schema.parse(text === undefined || text.trim() === '' ? {} : JSON.parse(text));
  } catch {
    throw new Failure(
      'usage',
      `${path} is not JSON with hooks as the program expects it. Nothing was changed: repair the file first.`,
    );
  }
}

/** Replaces the file as a whole; what a link leads to, where it is one. Its mode stays. */
export function writeSettings(path: string, settings: Settings): void {
  makeFolder(dirname(path));
  const exists = readIfAny(path) !== undefined;
  const target = exists ? realpathSync(path) : path;
  const mode = exists ? statSync(target).mode & 0o777 : 0o600;
  const draft = `${target}.${randomUUID()}.new`;
  try {
    writeFileSync(draft, `${JSON.stringify(settings, null, 2)}\n`, { mode, flag: 'wx' });
    renameSync(draft, target);
  } finally {
    rmSync(draft, { force: true });
  }
}

function readIfAny(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Failure(
      'usage',
      `${path} cannot be read (${(error as NodeJS.ErrnoException).code}). Nothing was changed: let your user read it.`,
    );
  }
}

/** A command that this program has installed. */
const isOurs = ({ command = '' }: { command?: string | undefined }): boolean =>
  /(^|[\\/'" ])relay(\.m?js)?['"]? hook( |$)/.test(command);

/** The settings without the hooks of this program. */
export function withoutHooks({ hooks = {}, ...settings }: Settings): Settings {
  const others = Object.entries(hooks).flatMap(([event, groups]) => {
    const left = groups
      .map((one) => ({ ...one, hooks: one.hooks.filter((hook) => !isOurs(hook)) }))
      .filter((one, at) => one.hooks.length > 0 || groups[at]?.hooks.length === 0);
    return left.length > 0 || groups.length === 0 ? [[event, left] as const] : [];
  });
  return { ...settings, ...(others.length > 0 && { hooks: Object.fromEntries(others) }) };
}

/** The settings with these hooks in place of others of this program. */
export function withHooks(settings: Settings, hooks: readonly InstalledHook[]): Settings {
  const { hooks: before = {}, ...others } = withoutHooks(settings);
  const all = { ...before };
  for (const { event, matcher, command, timeout } of hooks) {
    const group = {
      ...(matcher !== undefined && { matcher }),
      hooks: [{ type: 'command', command, timeout }],
    };
    all[event] = [...(all[event] ?? []), group];
  }
  return { ...others, hooks: all };
}

/** The settings with these variables besides those that are set. */
export const withEnvironment = (settings: Settings, variables: HookEnvironment): Settings =>
  Object.keys(variables).length === 0 ? settings : { ...settings, env: { ...settings.env, ...variables } };

/** The settings without the variables that `install` writes. */
export function withoutEnvironment({ env, ...settings }: Settings, names: readonly string[]): Settings {
  const others = Object.entries(env ?? {}).filter(([name]) => !names.includes(name));
  const isKept = env !== undefined && (others.length > 0 || Object.keys(env).length === 0);
  return { ...settings, ...(isKept && { env: Object.fromEntries(others) }) };
}

import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve, sep } from 'node:path';
import { parseJson } from '@expert-relay/sdk/internal';
import * as z from 'zod';
import { Failure } from '../../failure.ts';
import { explainFileError } from '../../store/explain-file-error.ts';

const schema = z.strictObject({
  version: z.literal(1),
  /** Patterns of paths and of commands that never leave this machine. `*` stands for any text. */
  paths: z.array(z.string()).default([]),
  commands: z.array(z.string()).default([]),
});

/** Files that have secrets as a rule: neither their content nor a command that names them is sent. */
const builtInPaths = [
  ...[
    '.env',
    '.env.*',
    '*.pem',
    '*.key',
    '*.p12',
    '*.pfx',
    'id_rsa*',
    'id_ed25519*',
    '.netrc',
    '.npmrc',
    '.pgpass',
  ],
  ...['*/.ssh/*', '*/.aws/*', '*/.gnupg/*', '*/.kube/*', '*/.docker/config.json', '*/.config/expert-relay/*'],
];

/** What a rule looks at. */
export interface Named {
  readonly cwd: string;
  readonly tool_input: unknown;
}

type Rules = Pick<z.infer<typeof schema>, 'paths' | 'commands'>;

/** The rules of this machine. */
export function readRules(folder: string): Rules {
  const path = join(folder, 'hook-rules.json');
  if (!existsSync(path)) return { paths: [], commands: [] };
  const { data } = schema.safeParse(parseJson(readText(path)));
  if (data) return data;
  throw new Failure(
    'state',
    `The file ${path} is broken. Repair it, or move it away (mv '${path}' '${path}.broken'): only the rules that are built in hold.`,
  );
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw explainFileError(error, path);
  }
}

/** The pattern that keeps a request on this machine; undefined when none does. */
export function matchingRule(rules: Rules, { tool_input: input, cwd }: Named): string | undefined {
  const texts = textsIn(input);
  const words = new Set(texts.flatMap(readingsOf).flatMap(wordsIn));
  const paths = Array.from(words, (word) => pathOf(cwd, word));
  return (
    [...builtInPaths, ...rules.paths].find((pattern) => paths.some(isPath(pattern))) ??
    rules.commands.find((pattern) => texts.some((text) => like(pattern).test(text)))
  );
}

/** All texts of the input, the names of members among them: a path or a command may be anywhere in it. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) => [name, ...textsIn(one)]);
}

/** A text as it is, without a shell's quotes, with the separators of Windows, and as the address of a file. */
function readingsOf(text: string): string[] {
  const whole = text.replaceAll(/\$HOME\b|\$\{HOME\}/g, homedir());
  return [
    whole,
    whole.replaceAll(/\\\r?\n|['"]|\\(?=.)/g, ''),
    whole.replaceAll('\\', '/'),
    whole.replaceAll(/%([0-7][\da-f])/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16))),
  ];
}

/** A question mark may be a wildcard, or begin the query of an address. */
const wordsIn = (text: string): string[] =>
  text
    .split(/[\s'"`=:;|&<>()[\]{},@]+/)
    .flatMap((word) => [word, ...(word.match(/^[^?#]+(?=[?#])/) ?? [])])
    .filter(Boolean);

const home = (path: string) => path.replace(/^~(?=$|\/)/, homedir());

/** One name of a path. */
interface Segment {
  readonly text: string;
  /** What a shell's pattern stands for. One that begins with a wildcard would fit everything. */
  readonly wildcard: RegExp | undefined;
}

/** Of one path: with many wildcards that fit many names it would have more. */
const maxReadings = 1_000;

const pathOf = (cwd: string, word: string): Segment[] =>
  resolve(cwd, home(word))
    .split(sep)
    .map((text) => ({
      text,
      wildcard: /^[^*?]+[*?]/.test(text) ? like(text, { isShell: true }) : undefined,
    }));

/** A pattern without a slash is compared with the name of the file, any other with the whole path, also that of a folder. */
function isPath(pattern: string): (path: readonly Segment[]) => boolean {
  const isName = !pattern.includes('/');
  const matching = like(home(pattern));
  const names = home(pattern)
    .replaceAll('*', '')
    .split('/')
    .filter((name) => name !== '');
  // A wildcard is read as each name of the pattern that it fits.
  const readings = ({ text, wildcard }: Segment) => [text, ...names.filter((name) => wildcard?.test(name))];
  return (path) =>
    path
      .slice(isName ? -1 : 0)
      .map(readings)
      .reduce((before, next) =>
        before.flatMap((one) => next.map((name) => `${one}/${name}`)).slice(0, maxReadings),
      )
      .some((whole) => matching.test(whole) || (!isName && matching.test(`${whole}/`)));
}

function like(pattern: string, { isShell = false } = {}): RegExp {
  // Several stars in a row would take exponential time.
  const quoted = pattern.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll(/\*+/g, '[^]*');
  return new RegExp(`^${isShell ? quoted.replaceAll('\\?', '[^]') : quoted}$`, 'i');
}

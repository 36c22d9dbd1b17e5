import { homedir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import * as z from 'zod';
import { openJsonFile } from '../../store/json-file.ts';
import type { PermissionRequest } from './hook-input.ts';

const schema = z.strictObject({
  version: z.literal(1),
  /** Patterns of paths and of commands that never leave this machine. `*` stands for any text. */
  paths: z.array(z.string()).default([]),
  commands: z.array(z.string()).default([]),
});

/** Files that have secrets as a rule: neither their content nor a command that names them is sent. */
const alwaysKept = [
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

type Rules = Pick<z.infer<typeof schema>, 'paths' | 'commands'>;

/** The rules of this machine. */
export function readRules(folder: string): Rules {
  const file = openJsonFile({
    path: join(folder, 'hook-rules.json'),
    schema,
    withoutIt: 'only the rules that are built in hold.',
  });
  return file.read() ?? { paths: [], commands: [] };
}

/** The pattern that keeps a request on this machine; undefined when none does. */
export function keeps(rules: Rules, { tool_input: input, cwd }: PermissionRequest): string | undefined {
  const texts = textsIn(input);
  const words = texts.flatMap((text) => text.split(/[\s'"`=:;|&<>()[\]{},@]+/)).filter(Boolean);
  return (
    [...alwaysKept, ...rules.paths].find((pattern) => words.some((word) => isPath(pattern, word, cwd))) ??
    rules.commands.find((pattern) => texts.some((text) => matches(pattern, text)))
  );
}

/** All texts of the input: a path or a command may be anywhere in it. */
const textsIn = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(textsIn)
      : [];

/** A pattern without a slash is compared with the name of the file, any other with the whole path. */
function isPath(pattern: string, word: string, cwd: string): boolean {
  const home = (path: string) => path.replace(/^~(?=$|\/)/, homedir());
  const whole = resolve(cwd, home(word));
  return pattern.includes('/') ? matches(home(pattern), whole) : matches(pattern, basename(whole));
}

function matches(pattern: string, text: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('[^]*')}$`, 'i').test(text);
}

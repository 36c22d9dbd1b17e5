import { basename, relative } from 'node:path';

/** How this program was started: `relay`, `npx relay` or another command. */
export function programName(script: string, folder: string): string {
  // npx keeps packages that are not installed there.
  if (/[\\/]_npx[\\/]/.test(script)) return 'npx -y @expert-relay/cli';
  if (/[\\/]node_modules[\\/]\.bin[\\/]/.test(script)) return 'npx relay';
  if (basename(script) !== 'relay.mjs') return 'relay';
  const near = relative(folder, script);
  const path = near.startsWith('..') ? script : near;
  return `node ${path.includes(' ') ? `'${path}'` : path}`;
}

const verbs = 'answer|approve|ask|close|doctor|help|hook|keys|listen|mcp|pickup|show|webhooks|whoami';
const words = `${verbs}|make|restore|recovery|forget|config|add|deliveries|test|resend|rotate|enable|disable|remove|environment|exit-codes|COMMAND`;
const rest = `(?:${verbs})\\b(?: (?:--?[\\w-]*|"[^"]*"|HS-[\\w.]+|[0-9a-f]{8}-[0-9a-f-]{27}|<|code\\.txt|(?:${words})\\b))*`;

/** Finds the commands in this program's sentences. */
export interface TypedCommands {
  /** The sentence, with each command as the user must type it. */
  name(text: string): string;
  /** Matches commands and settings to export. They are not wrapped, so that they can be copied. */
  readonly unbroken: string;
}

export function typedCommands(program: string): TypedCommands {
  const command = new RegExp(`(?<!\\b(?:[Tt]he|[Aa]|other) )(?<![\\w/@.-])relay (?=${rest})`, 'g');
  const escaped = program.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
  return {
    name: (text) => (program === 'relay' ? text : text.replace(command, () => `${program} `)),
    unbroken: `[(\`]?(?:${escaped} ${rest}|export RELAY_\\S+(?: RELAY_\\S+)*)[\`).,:;]*`,
  };
}

import { basename, relative } from 'node:path';
import type { ProfileName } from '../config.ts';

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

const verbs =
  'answer|approve|ask|close|completion|doctor|help|hook|keys|listen|login|logout|mcp|open|pickup|receipt|show|verify|webhooks|whoami';
const words = `${verbs}|make|restore|recovery|forget|config|add|deliveries|test|resend|rotate|enable|disable|remove|environment|exit-codes|COMMAND|agent|expert`;
const rest = `(?:${verbs})\\b(?: (?:--?[\\w-]*|"[^"]*"|HS-[\\w.]+|[0-9a-f]{8}-[0-9a-f-]{27}|<|code\\.txt|(?:${words})\\b))*`;

/** Finds the commands in this program's sentences. */
export interface TypedCommands {
  /** The sentence, with each command as the user must type it. */
  name(text: string): string;
  /** Matches commands and settings to export. They are not wrapped, so that they can be copied. */
  readonly unbroken: string;
}

/** Of the commands for both sides, those that without --profile run as the other side where both profiles are stored. */
const runAsOther: Readonly<Record<ProfileName, readonly string[]>> = {
  agent: ['listen', 'show'],
  expert: ['close', 'doctor', 'webhooks'],
};

/** `profile`: as which the next command must run, where both are stored. */
export function typedCommands(program: string, profile?: ProfileName): TypedCommands {
  const command = new RegExp(`(?<!\\b(?:[Tt]he|[Aa]|other) )(?<![\\w/@.-])relay (${verbs})\\b`, 'g');
  const escaped = program.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
  return {
    name: (text) =>
      text.replace(command, (_, verb: string) => {
        const isNamed = profile !== undefined && runAsOther[profile].includes(verb);
        return `${program} ${verb}${isNamed ? ` --profile ${profile}` : ''}`;
      }),
    unbroken: `[(\`]?(?:${escaped} ${rest}|export RELAY_\\S+(?: RELAY_\\S+)*)[\`).,:;]*`,
  };
}

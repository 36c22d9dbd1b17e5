import type { PermissionRequest } from './hook-input.ts';
import { programOf } from './hook-input.ts';

/** More could not be read before it is approved. */
const mostCharacters = 60_000;

/**
 * The question to the expert, in Markdown: the tool, what it would do, and where. Undefined when it is too long to be shown in
 * full: nothing is approved that was not shown.
 */
export function describeRequest(request: PermissionRequest): string | undefined {
  const { tool_name: tool, tool_input: input, cwd } = request;
  const parts = [
    `May ${programOf(request)} use \`${inline(tool)}\`?`,
    `In the directory \`${inline(cwd)}\`:`,
    ...describeInput(tool, input),
    'The program receives your yes or no. It receives a comment only with a no.',
  ];
  const text = parts.join('\n\n');
  return text.length > mostCharacters ? undefined : text;
}

type Input = PermissionRequest['tool_input'];

function describeInput(tool: string, input: Input): string[] {
  const { command, description, file_path: path, ...rest } = input;
  if (typeof command === 'string') {
    const isPatch = command.trimStart().startsWith('*** Begin Patch');
    return [block(command, isPatch ? 'diff' : 'sh'), ...reason(description), ...others(rest)];
  }
  if (typeof path !== 'string') return [block(JSON.stringify(input, null, 2), 'json')];
  const file = `The file \`${inline(path)}\`:`;
  const { content, old_string, new_string, edits, ...more } = rest;
  if (tool === 'Write' && typeof content === 'string') return [file, block(content, ''), ...others(more)];
  const changes = Array.isArray(edits) ? edits : [{ old_string, new_string }];
  const diffs = changes.map((one) => diffOf(Object(one)));
  if (!diffs.every((diff) => diff !== undefined)) return [block(JSON.stringify(input, null, 2), 'json')];
  return [file, ...diffs.map((diff) => block(diff, 'diff')), ...others(more)];
}

/** The lines that are replaced, with the equal ones around them. */
function diffOf({ old_string: before, new_string: after, replace_all }: Input): string | undefined {
  if (typeof before !== 'string' || typeof after !== 'string') return undefined;
  const [old, now] = [before.split('\n'), after.split('\n')];
  const shortest = Math.min(old.length, now.length);
  let same = 0;
  while (same < shortest && old[same] === now[same]) same += 1;
  let end = 0;
  while (end < shortest - same && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  return [
    ...(replace_all === true ? ['@@ everywhere in the file @@'] : []),
    ...old.slice(0, same).map((line) => ` ${line}`),
    ...old.slice(same, old.length - end).map((line) => `-${line}`),
    ...now.slice(same, now.length - end).map((line) => `+${line}`),
    ...old.slice(old.length - end).map((line) => ` ${line}`),
  ].join('\n');
}

const reason = (description: unknown): string[] =>
  typeof description === 'string' && description
    ? [`Reason given by the program: ${inline(description)}`]
    : [];

const others = (rest: Input): string[] =>
  Object.keys(rest).length > 0 ? ['Further settings:', block(JSON.stringify(rest, null, 2), 'json')] : [];

/** A block of code. The fence is longer than any in the text, so that the text cannot end it. */
function block(text: string, language: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

const inline = (text: string): string => text.replaceAll(/[`\s]+/g, ' ').trim();

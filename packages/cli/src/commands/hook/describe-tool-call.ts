import { block, code } from '@expert-relay/sdk/internal';
import * as z from 'zod';
import { programOf, type ToolCall } from './hook-input.ts';
import { nameToolCall } from './name-tool-call.ts';

/** The question to the expert, in Markdown: what it is about, the tool, what it would do, and where. */
export function describeToolCall(call: ToolCall): string {
  const { tool_name: tool, tool_input: input, cwd } = call;
  return [
    nameToolCall(call),
    `${programOf(call)} would use ${code(tool)} in the directory ${code(cwd)}:`,
    ...describeInput(tool, input),
    'The program receives your yes or no. It receives a comment only with a no.',
  ].join('\n\n');
}

type Input = ToolCall['tool_input'];

/** A part of the input that has a form of its own, and the names of the members that it shows in full. */
interface Rendered {
  readonly names: readonly string[];
  readonly parts: readonly string[];
}

/** All of the input: what has no form of its own is shown as JSON. */
function describeInput(tool: string, input: Input): string[] {
  const { names, parts } = render(tool, input) ?? { names: [], parts: [] };
  const others = Object.entries(input).filter(([name]) => !names.includes(name));
  if (names.length > 0 && others.length === 0) return [...parts];
  const json = block(JSON.stringify(Object.fromEntries(others), null, 2), 'json');
  return names.length > 0 ? [...parts, 'Further settings:', json] : [json];
}

function render(tool: string, input: Input): Rendered | undefined {
  const { command, description, file_path: path } = input;
  if (typeof command === 'string') {
    const isPatch = command.trimStart().startsWith('*** Begin Patch');
    const shown = block(command, isPatch ? 'diff' : 'sh');
    if (typeof description !== 'string' || description === '') return { names: ['command'], parts: [shown] };
    const reason = `Reason given by the program: ${code(description)}`;
    return { names: ['command', 'description'], parts: [shown, reason] };
  }
  const change = typeof path === 'string' ? renderChange(tool, input) : undefined;
  return (
    change && {
      names: ['file_path', ...change.names],
      parts: [`The file ${code(String(path))}:`, ...change.parts],
    }
  );
}

function renderChange(tool: string, input: Input): Rendered | undefined {
  const { content, edits } = input;
  if (tool === 'Write' && typeof content === 'string')
    return { names: ['content'], parts: [block(content, '')] };
  const { old_string, new_string, replace_all } = input;
  const single = change.safeParse({
    old_string,
    new_string,
    ...(typeof replace_all === 'boolean' && { replace_all }),
  });
  if (single.success) return { names: Object.keys(single.data), parts: [block(diffOf(single.data), 'diff')] };
  const several = z.array(change).min(1).safeParse(edits);
  if (!several.success) return undefined;
  return { names: ['edits'], parts: several.data.map((one) => block(diffOf(one), 'diff')) };
}

/** A change with a further member is no diff. */
const change = z.strictObject({
  old_string: z.string(),
  new_string: z.string(),
  replace_all: z.boolean().optional(),
});
type Change = z.infer<typeof change>;

/** The lines that are replaced, with the equal ones around them. */
function diffOf({ old_string: before, new_string: after, replace_all }: Change): string {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const shortest = Math.min(old.length, now.length);
  let same = 0;
  while (same < shortest && old[same] === now[same]) same += 1;
  let end = 0;
  while (end < shortest - same && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  return [
    ...(replace_all === undefined ? [] : [`@@ ${replace_all ? 'everywhere' : 'once'} in the file @@`]),
    ...old.slice(0, same).map((line) => ` ${line}`),
    ...old.slice(same, old.length - end).map((line) => `-${line}`),
    ...now.slice(same, now.length - end).map((line) => `+${line}`),
    ...old.slice(old.length - end).map((line) => ` ${line}`),
  ].join('\n');
}

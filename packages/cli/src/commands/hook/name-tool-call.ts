import { code, tellingArgument } from '@expert-relay/sdk/internal';
import type { ToolCall } from './hook-input.ts';

const verbs: Readonly<Record<string, string>> = {
  Bash: 'Run',
  Write: 'Write',
  Edit: 'Change',
  MultiEdit: 'Change',
  NotebookEdit: 'Change',
};

/** What a call is about, as the first line of the question: lists of requests show no more. The question has all of it below. */
export function nameToolCall({ tool_name: tool, tool_input: input, cwd }: ToolCall): string {
  const { command, file_path: path = input.notebook_path } = input;
  if (tool === 'apply_patch' && typeof command === 'string') return namePatch(command);
  const file = typeof path === 'string' && { file_path: withoutFolder(path, cwd) };
  const about = tellingArgument({ ...input, ...file });
  const verb = verbs[tool];
  if (verb !== undefined && about !== '') return `${verb} ${about}?`;
  return `Use ${code(tool)}${about && ` with ${about}`}?`;
}

function namePatch(patch: string): string {
  const [first = '', ...others] = Array.from(
    patch.matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.*)$/gm),
    ([, file = '']) => file,
  );
  const more = others.length > 0 ? ` and ${others.length} more` : '';
  return first === '' ? 'Apply a patch?' : `Change ${tellingArgument(first)}${more}?`;
}

const withoutFolder = (path: string, folder: string): string =>
  path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;

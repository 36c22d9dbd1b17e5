import type { Content, Field } from '@expert-relay/sdk/forms';
import * as z from 'zod';
import type { ToolCall } from './hook-input.ts';

const rule = z.object({ toolName: z.string().min(1), ruleContent: z.string().optional() });

/** What the expert may allow for longer than one call. Claude Code suggests more, such as rules that forbid something. */
const suggestion = z.discriminatedUnion('type', [
  z.object({ type: z.literal('addRules'), behavior: z.literal('allow'), rules: z.array(rule).min(1) }),
  z.object({ type: z.literal('addDirectories'), directories: z.array(z.string().min(1)).min(1) }),
  z.object({ type: z.literal('setMode'), mode: z.literal('acceptEdits') }),
]);
type Suggestion = z.infer<typeof suggestion>;

/** What an expert may allow besides a call until the session of the program ends, as a field of the form, which is filled in with no. */
interface SessionRule {
  readonly name: string;
  readonly field: Field;
  readonly update: Suggestion & { readonly destination: 'session' };
}

/** A suggestion with a longer text is not offered, since it could not be shown in full. */
const mostCharacters = 200;

export function sessionRulesOf(call: ToolCall): SessionRule[] {
  const suggestions = call.permission_suggestions?.flatMap((one) => suggestion.safeParse(one).data ?? []);
  const all = suggestions === undefined ? [] : [...exactCommand(call), ...suggestions];
  const byTitle = new Map(all.map((one) => [`In this session, also allow: ${describe(one)}`, one]));
  return [...byTitle]
    .filter(([title]) => [...title].length <= mostCharacters && !/[\p{Cc}\u202d\u202e]/u.test(title))
    .slice(0, 5)
    .map(([title, one], index) => ({
      name: `session_${index + 1}`,
      field: {
        type: 'boolean',
        title,
        default: false,
        ...(title.includes('*') && { description: 'A * stands for any text.' }),
      },
      // Not in the settings of the user or the project, where the program would keep it for ever.
      update: { ...one, destination: 'session' },
    }));
}

/** What is narrower than the suggestions of the program. In a rule, these characters would mean something else. */
function exactCommand({ tool_name: toolName, tool_input: { command } }: ToolCall): Suggestion[] {
  if (toolName !== 'Bash' || typeof command !== 'string' || /[*()\\]|:$/.test(command)) return [];
  return [{ type: 'addRules', behavior: 'allow', rules: [{ toolName, ruleContent: command }] }];
}

export const chosenRules = (rules: readonly SessionRule[], content: Content): SessionRule['update'][] =>
  rules.filter(({ name }) => content[name] === true).map(({ update }) => update);

function describe(one: Suggestion): string {
  if (one.type === 'setMode') return 'all changes of files in the project (mode acceptEdits)';
  if (one.type === 'addDirectories') return `the directory ${one.directories.join(', ')}`;
  return one.rules
    .map(({ toolName, ruleContent }) =>
      ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`,
    )
    .join(', ');
}

import { parseExactly, parseJson } from '@expert-relay/sdk/internal';
import * as z from 'zod';
import { Failure } from '../../failure.ts';

/** As it was read: zod's own objects lose a member `__proto__`, which would not be shown. */
const toolInput = z.custom<Readonly<Record<string, unknown>>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);

/** What both programs write to the hook's stdin about a call of a tool. Further members are ignored. */
const toolCall = z.object({
  /** `PreToolUse` comes before every call, `PermissionRequest` where the program would ask its user. */
  hook_event_name: z.enum(['PermissionRequest', 'PreToolUse']),
  cwd: z.string().min(1),
  tool_name: z.string().min(1),
  tool_input: toolInput,
  /** What Claude Code would offer its user besides a yes. */
  permission_suggestions: z.array(z.unknown()).optional(),
  /** Only Codex has it. */
  turn_id: z.string().optional(),
});

const notification = z.object({
  hook_event_name: z.literal('Notification'),
  cwd: z.string().min(1),
  message: z.string().min(1),
  notification_type: z.string().optional(),
});

export type ToolCall = z.infer<typeof toolCall>;
export type AgentNotification = z.infer<typeof notification>;

/** @throws Failure `usage` for another text, and for one that another program could read as something else */
export function readHookInput(text: string): ToolCall | AgentNotification {
  const { data } = z.union([toolCall, notification]).safeParse(parseJson(text));
  if (!data) throw new Failure('usage', 'The input is not what this hook gets from Claude Code or Codex.');
  if ('message' in data || parseExactly(text) !== undefined) return data;
  throw new Failure('usage', 'It has a number that cannot be shown as it is, or two members of one name.');
}

/** Whether the program runs the tool where this hook prints nothing. */
export function comesBeforeEachCall(text: string): boolean {
  return z.object({ hook_event_name: z.literal('PreToolUse') }).safeParse(parseJson(text)).success;
}

/** The program that runs the hook, as it is called in questions. */
export const programOf = ({ turn_id }: ToolCall): string => (turn_id === undefined ? 'Claude Code' : 'Codex');

import { parseExactly, parseJson } from '@expert-relay/sdk/internal';
import * as z from 'zod';
import { Failure } from '../../failure.ts';

/** As it was read: zod's own objects lose a member `__proto__`, which would not be shown. */
const toolInput = z.custom<Readonly<Record<string, unknown>>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);

/** What both programs write to the hook's stdin. Further members are ignored. */
const permissionRequest = z.object({
  hook_event_name: z.literal('PermissionRequest'),
  cwd: z.string().min(1),
  tool_name: z.string().min(1),
  tool_input: toolInput,
  /** Only Codex has it. */
  turn_id: z.string().optional(),
});

const notification = z.object({
  hook_event_name: z.literal('Notification'),
  cwd: z.string().min(1),
  message: z.string().min(1),
  notification_type: z.string().optional(),
});

export type PermissionRequest = z.infer<typeof permissionRequest>;
export type AgentNotification = z.infer<typeof notification>;

/** @throws Failure `usage` for another text, and for one that another program could read as something else */
export function readPermissionRequest(text: string): PermissionRequest {
  const request = read(permissionRequest, text);
  if (parseExactly(text) !== undefined) return request;
  throw new Failure('usage', 'It has a number that cannot be shown as it is, or two members of one name.');
}

export const readNotification = (text: string): AgentNotification => read(notification, text);

/** The program that runs the hook, as it is called in questions. */
export const programOf = ({ turn_id }: PermissionRequest): string =>
  turn_id === undefined ? 'Claude Code' : 'Codex';

function read<T>(schema: z.ZodType<T>, text: string): T {
  const parsed = schema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new Failure('usage', 'The input is not what this hook gets from Claude Code or Codex.');
}

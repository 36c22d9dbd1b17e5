import * as z from 'zod';
import { Failure } from '../../failure.ts';

const toolInput = z.record(z.string(), z.unknown());

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

export const readPermissionRequest = (text: string): PermissionRequest => read(permissionRequest, text);
export const readNotification = (text: string): AgentNotification => read(notification, text);

/** The program that runs the hook, as it is called in questions. */
export const programOf = ({ turn_id }: PermissionRequest): string =>
  turn_id === undefined ? 'Claude Code' : 'Codex';

function read<T>(schema: z.ZodType<T>, text: string): T {
  const parsed = schema.safeParse(parse(text));
  if (parsed.success) return parsed.data;
  throw new Failure('usage', 'The input is not what this hook gets from Claude Code or Codex.');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

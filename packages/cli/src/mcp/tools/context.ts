import type { ContextMessage } from '@expert-relay/sdk';
import * as z from 'zod';
import { fence } from '../../asking/fence.ts';
import { Failure } from '../../failure.ts';
import { readAttachment } from './files.ts';
import type { ToolCall } from './tool.ts';

const message = z.object({
  role: z.enum(['user', 'assistant']),
  content: z.string().max(200_000).optional(),
  file: z
    .string()
    .min(1)
    .max(4_096)
    .optional()
    .describe('In place of content: the path of a text file, as in attach. It is shown to the character.'),
});

export const contextInput = z
  .array(message)
  .max(100)
  .optional()
  .describe('Messages of your conversation, and text files, that the expert needs. The last 10 are kept.');

/** @throws Failure `usage` for a file that may not be read, or is no text */
export function readContext(
  messages: z.infer<typeof contextInput> = [],
  call: Pick<ToolCall, 'files'>,
): ContextMessage[] {
  return messages.map(({ role, content, file }) => {
    if ((content === undefined) === (file === undefined))
      throw new Failure('usage', 'A message of the context has either content or file. Nothing was sent.');
    return { role, content: content ?? readText(file as string, call) };
  });
}

function readText(path: string, call: Pick<ToolCall, 'files'>): string {
  const { name, bytes } = readAttachment(path, call);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Failure('usage', `${name} is not text in UTF-8. Nothing was sent: attach it instead.`);
  }
  return fence(text, name);
}

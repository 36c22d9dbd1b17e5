import type { ImageContent, ToolAnnotations } from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod';
import type { AttachableFolder } from '../../files/attachable-folder.ts';
import type { ConversationPool } from '../conversation-pool/conversation-pool.ts';

/** What a tool gets besides its input. */
export interface ToolCall {
  readonly pool: ConversationPool;
  /** The folder whose files may be attached, if there is one. */
  readonly files: AttachableFolder | undefined;
  /** Aborts when the client cancels or disconnects, or when the time of the tool is over. */
  readonly signal: AbortSignal;
}

/** A result in two forms: text for models, data for programs. Both say what to do next. */
export interface Report<Data = Record<string, unknown>> {
  readonly text: readonly (string | undefined)[];
  readonly data: Data;
  /** They follow the text. */
  readonly images?: readonly ImageContent[];
}

/** The description of a tool for clients. */
interface Described<Input, Output> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly annotations: ToolAnnotations;
  readonly input: Input;
  readonly output: Output;
}

export interface Tool extends Described<z.ZodRawShape, z.ZodRawShape> {
  /** The maximum duration of a call in seconds. Clients give up after a minute. */
  maxSeconds(input: Record<string, unknown>): number;
  run(input: Record<string, unknown>, call: ToolCall): Promise<Report>;
}

interface TypedTool<Input extends z.ZodRawShape, Output extends z.ZodRawShape>
  extends Described<Input, Output> {
  maxSeconds(input: z.output<z.ZodObject<Input>>): number;
  run(input: z.output<z.ZodObject<Input>>, call: ToolCall): Promise<Report<z.input<z.ZodObject<Output>>>>;
}

/** Makes the compiler check input and output against their schemas. */
export function defineTool<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
  tool: TypedTool<Input, Output>,
): Tool {
  return tool as unknown as Tool;
}

export const reference = z
  .string()
  .trim()
  .min(8)
  .max(40)
  .describe('The reference that ask_expert gave, such as HS-7KQ2M9XD.');

export const status = z
  .enum(['pending', 'responded', 'closed', 'expired'])
  .describe('pending: no answer yet. responded: answered, and open. closed, expired: it has ended.');

export const seenYourLast = z
  .boolean()
  .optional()
  .describe('False: written before your last message was read. Absent when that is unknown.');

/** A reference in a result. */
export const knownReference = z.string();

export const unsent = z.number().describe("Messages that wait here for the expert's keys: not sent yet.");

export const nextStep = z.string().describe('What to do next.');

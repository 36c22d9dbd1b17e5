import type { ImageContent, ToolAnnotations } from '@modelcontextprotocol/server';
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

/** What the model is given, and what a program can act on. */
export interface Report {
  readonly text: readonly (string | undefined)[];
  /** States and decisions, without any words. */
  readonly data: Readonly<Record<string, unknown>>;
  /** They follow the text. */
  readonly images?: readonly ImageContent[];
}

/** The name of the data in the `_meta` of a result, which clients do not give to models. */
export const resultKey = 'expert-relay/result';

export interface Tool<Input extends z.ZodRawShape = z.ZodRawShape> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly annotations: ToolAnnotations;
  readonly input: Input;
  /** The maximum duration of a call in seconds. Most clients give up after a minute. */
  maxSeconds(input: z.output<z.ZodObject<Input>>): number;
  run(input: z.output<z.ZodObject<Input>>, call: ToolCall): Promise<Report>;
}

/** Makes the compiler check a tool against the schema of its input. */
export function defineTool<Input extends z.ZodRawShape>(tool: Tool<Input>): Tool {
  return tool as unknown as Tool;
}

export const reference = z
  .string()
  .trim()
  .min(8)
  .max(40)
  .describe('As ask_expert gave it, such as HS-7KQ2M9XD.');

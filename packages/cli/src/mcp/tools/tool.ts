import type { ToolAnnotations } from '@modelcontextprotocol/sdk/types.js';
import type { z } from 'zod';
import type { Desk } from '../desk/desk.ts';

/** What a tool works with besides its input. */
export interface ToolCall {
  readonly desk: Desk;
  /** The client has cancelled the call or is gone, or the tool's patience is over. */
  readonly signal: AbortSignal;
  /** Whether the result was written to the client; known only after the tool has given it. */
  readonly sent: Promise<boolean>;
}

/** A result twice: for models that read text, and for programs. Both say what to do next. */
export interface Report<Data = Record<string, unknown>> {
  readonly text: readonly (string | undefined)[];
  readonly data: Data;
}

/** What the client learns of a tool. */
interface Described<Input, Output> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly annotations: ToolAnnotations;
  readonly input: Input;
  readonly output: Output;
}

export interface Tool extends Described<z.ZodRawShape, z.ZodRawShape> {
  /** How many seconds a call may take at most. Clients give up after a minute. */
  patience(input: Record<string, unknown>): number;
  run(input: Record<string, unknown>, call: ToolCall): Promise<Report>;
}

interface TypedTool<Input extends z.ZodRawShape, Output extends z.ZodRawShape>
  extends Described<Input, Output> {
  patience(input: z.output<z.ZodObject<Input>>): number;
  run(input: z.output<z.ZodObject<Input>>, call: ToolCall): Promise<Report<z.input<z.ZodObject<Output>>>>;
}

/** Lets the compiler hold input and output to their schemas. */
export function defineTool<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
  tool: TypedTool<Input, Output>,
): Tool {
  return tool as unknown as Tool;
}

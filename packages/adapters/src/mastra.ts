import { type AskExpertInput, askExpert, askExpertDefinition } from './ask-expert.ts';
import type { RunOptions } from './run-options.ts';

/** What Mastra gives a tool that an agent calls, as far as it is needed. Earlier versions have the id of the call outside of `agent`. */
interface ToolContext {
  readonly agent?: { readonly toolCallId?: string } | undefined;
  readonly toolCallId?: string | undefined;
  readonly abortSignal?: AbortSignal | undefined;
}

/**
 * A tool with which the model asks an expert when it is stuck: see {@link askExpert}. It is an object as `createTool` makes, so that
 * Mastra is not imported.
 *
 * @example
 * const agent = new Agent({ ...settings, tools: { ask_expert: askExpertTool({ relay, run: 'job-7' }) } });
 */
export const askExpertTool = (options: RunOptions) => ({
  id: askExpertDefinition.name,
  description: askExpertDefinition.description,
  inputSchema: askExpertDefinition.parameters,
  execute: ({ question }: AskExpertInput, { agent, toolCallId, abortSignal: signal }: ToolContext) =>
    askExpert(question, { signal, ...options, id: agent?.toolCallId ?? toolCallId }),
});

import { parseExactly } from '@expert-relay/sdk/internal';
import { type RunState, type RunToolApprovalItem, tool } from '@openai/agents';
import { type AskExpertInput, askExpert, askExpertDefinition } from './ask-expert.ts';
import { type ApprovalOptions, decideToolCalls, refusalOf } from './decide-tool-calls.ts';
import type { RunOptions } from './run-options.ts';
import { invalidInput, type ToolCall } from './tool-call.ts';

/**
 * A tool with which the model asks an expert when it is stuck: see {@link askExpert}.
 *
 * @example
 * const agent = new Agent({ name: 'Cleaner', tools: [askExpertTool({ relay, run: 'job-7' })] });
 */
export const askExpertTool = (options: RunOptions) =>
  tool({
    ...askExpertDefinition,
    strict: true,
    execute: (input, _context, details) =>
      askExpert((input as AskExpertInput).question, { ...options, id: details?.toolCall?.callId }),
  });

/**
 * Asks an expert about each call of a tool with `needsApproval` that has interrupted the run, and approves or rejects it in the
 * state. The framework cannot run a tool with other arguments than those of the model: the expert declines, and the comment, which
 * the model gets, says which ones are allowed.
 *
 * @throws RelayError as {@link decideToolCalls}: then the state is unchanged, and can be given again later
 *
 * @example
 * let result = await run(agent, 'Remove the old logs.');
 * while (result.interruptions.length > 0) {
 *   await writeFile('state.json', result.state.toString()); // a restarted process goes on with RunState.fromString
 *   await answerInterruptions(result.state, { relay, run: 'job-7' });
 *   result = await run(agent, result.state);
 * }
 */
export async function answerInterruptions(
  // biome-ignore lint/suspicious/noExplicitAny: any context and any agent, as the framework's own types have it
  state: RunState<any, any>,
  options: ApprovalOptions,
): Promise<void> {
  const items = state.getInterruptions();
  const decisions = await decideToolCalls(items.map(describe), options);
  for (const [index, item] of items.entries()) {
    const decision = decisions[index];
    if (decision?.action === 'approve') state.approve(item);
    else if (decision?.action === 'decline') state.reject(item, { message: refusalOf(decision) });
  }
}

function describe(item: RunToolApprovalItem): ToolCall {
  const { rawItem } = item;
  const id = 'callId' in rawItem ? rawItem.callId : rawItem.id;
  if (id === undefined)
    throw invalidInput('A call without an id cannot be asked about once: ask with `relay.ask`.');
  return { id, tool: nameOf(item), arguments: argumentsOf(item), canEdit: false };
}

/** A call that no tool of the program answers, but a hosted MCP server: its arguments are in no other place. */
const hostedCallOf = ({ rawItem }: RunToolApprovalItem): Record<string, unknown> | undefined =>
  rawItem.type === 'hosted_tool_call' ? rawItem.providerData : undefined;

function nameOf(item: RunToolApprovalItem): string {
  const { name = item.name ?? item.rawItem.type, server_label: server } = hostedCallOf(item) ?? {};
  return typeof server === 'string' ? `${server}.${name}` : String(name);
}

/** A shell, a patch and a computer have no arguments, but members of their own. */
function argumentsOf(item: RunToolApprovalItem): unknown {
  const text = item.arguments ?? hostedCallOf(item)?.arguments;
  if (typeof text !== 'string') {
    const { type, id, callId, status, providerData, ...action } = item.rawItem as Record<string, unknown>;
    return hostedCallOf(item) ?? action;
  }
  // Another program may read the text in another way: then it is shown as it is.
  return parseExactly(text) ?? text;
}

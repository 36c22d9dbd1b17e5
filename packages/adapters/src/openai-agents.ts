import type { RunState, RunToolApprovalItem } from '@openai/agents';
import { type ApprovalOptions, decideToolCalls, refusalOf } from './decide.ts';
import type { ToolCall } from './tool-call.ts';

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
  if (id === undefined) throw new Error('The call has no id, so it cannot be asked about once.');
  return { id, tool: item.name ?? rawItem.type, arguments: argumentsOf(item), canEdit: false };
}

/** A shell, a patch and a computer have no arguments, but members of their own. */
function argumentsOf({ arguments: text, rawItem }: RunToolApprovalItem): unknown {
  if (text === undefined) {
    const { type, id, callId, status, providerData, ...action } = rawItem as Record<string, unknown>;
    return action;
  }
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

// An agent of Mastra that asks an expert when it is stuck, and before its tool runs. It goes on where it was killed. Run, with RELAY_URL
// and RELAY_API_KEY set and Mastra installed (Node 22.13 or later): node examples/frameworks/mastra.mjs job-7
import { decideToolCalls, refusalOf } from '@expert-relay/adapters';
import { askExpertTool } from '@expert-relay/adapters/mastra';
import { Mastra } from '@mastra/core';
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';
import { loadState, openRelay, run, saveState, timeoutMs } from './scripted/agent.mjs';
import { model, storage } from './scripted/mastra.mjs'; // yours, such as 'openai/...' and a PostgresStore

const removeLogs = createTool({
  id: 'remove_logs',
  description: 'Removes old logs.',
  inputSchema: z.object({ path: z.string(), days: z.number() }),
  requireApproval: true,
  execute: async ({ path, days }) => {
    console.log(`Removing ${path}`);
    return `Removed the logs in ${path} that are older than ${days} days.`;
  },
});
const relay = openRelay();
const cleaner = new Agent({
  id: 'cleaner',
  name: 'Cleaner',
  instructions: 'You keep the disk clean.',
  model,
  tools: { remove_logs: removeLogs, ask_expert: askExpertTool({ relay, run, timeoutMs }) },
});
const agent = new Mastra({ agents: { cleaner }, storage, logger: false }).getAgent('cleaner');

/** The call at which the run is suspended. */
let call = loadState();
let result = call ? undefined : await agent.generate('Remove the old logs.', { runId: run });
while (!result || result.finishReason === 'suspended') {
  call = result?.suspendPayload ?? call;
  saveState(call);
  const { toolCallId, toolName: tool, args } = call;
  const asked = { id: toolCallId, tool, arguments: args, canEdit: false };
  const [decision] = await decideToolCalls([asked], { relay, run, timeoutMs, agent: cleaner.name });
  result =
    decision.action === 'approve'
      ? await agent.approveToolCallGenerate({ runId: run, toolCallId })
      : await agent.declineToolCallGenerate({ runId: run, toolCallId, reason: refusalOf(decision) });
}
console.log(result.text);
relay.stop();

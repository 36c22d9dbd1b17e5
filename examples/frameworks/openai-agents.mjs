// An agent of the OpenAI Agents SDK that asks an expert when it is stuck, and before its tool runs. It goes on where it was killed. Run,
// with RELAY_URL and RELAY_API_KEY set: node examples/frameworks/openai-agents.mjs job-7
import { answerInterruptions, askExpertTool } from '@expert-relay/adapters/openai-agents';
import { Agent, Runner, RunState, tool } from '@openai/agents';
import { z } from 'zod';
import { loadState, openRelay, run, saveState, timeoutMs } from './scripted/agent.mjs';
import { model } from './scripted/openai-agents.mjs'; // leave it out for OpenAI's own

const removeLogs = tool({
  name: 'remove_logs',
  description: 'Removes old logs.',
  parameters: z.object({ path: z.string(), days: z.number() }),
  needsApproval: true,
  execute: ({ path, days }) => {
    console.log(`Removing ${path}`);
    return `Removed the logs in ${path} that are older than ${days} days.`;
  },
});
const relay = openRelay();
const agent = new Agent({
  name: 'Cleaner',
  instructions: 'You keep the disk clean.',
  model,
  tools: [removeLogs, askExpertTool({ relay, run, timeoutMs })],
});
const runner = new Runner({ tracingDisabled: true });

const saved = loadState();
let result = await runner.run(
  agent,
  saved ? await RunState.fromString(agent, saved) : 'Remove the old logs.',
);
while (result.interruptions.length > 0) {
  saveState(result.state.toString());
  await answerInterruptions(result.state, { relay, run, timeoutMs, agent: agent.name });
  result = await runner.run(agent, result.state);
}
saveState(result.state.toString());
console.log(result.finalOutput);
relay.stop();

// An agent of the AI SDK that asks an expert when it is stuck, and before its tool runs. It goes on where it was killed. Run, with
// RELAY_URL and RELAY_API_KEY set: node examples/frameworks/ai-sdk.mjs job-7
import { answerApprovals, askExpertTool, awaitsApproval } from '@expert-relay/adapters/ai-sdk';
import { generateText, stepCountIs, tool } from 'ai';
import { z } from 'zod';
import { loadState, openRelay, run, saveState, timeoutMs } from './scripted/agent.mjs';
import { model } from './scripted/ai-sdk.mjs'; // yours, such as openai('...')

const relay = openRelay();
const tools = {
  ask_expert: askExpertTool({ relay, run, timeoutMs }),
  remove_logs: tool({
    description: 'Removes old logs.',
    inputSchema: z.object({ path: z.string(), days: z.number() }),
    needsApproval: true,
    execute: ({ path, days }) => {
      console.log(`Removing ${path}`);
      return `Removed the logs in ${path} that are older than ${days} days.`;
    },
  }),
};

/** @type {import('ai').ModelMessage[]} */
let messages = loadState() ?? [{ role: 'user', content: 'Remove the old logs.' }];
for (;;) {
  messages = await answerApprovals(messages, { relay, run, tools, timeoutMs, agent: 'Cleaner' });
  const result = await generateText({ model, tools, messages, stopWhen: stepCountIs(10) });
  // AI SDK 6 has all messages of the call in `response`, and 7 those of its last step.
  messages.push(...(result.responseMessages ?? result.response.messages));
  saveState(messages);
  if (!awaitsApproval(messages)) {
    console.log(result.text);
    break;
  }
}
relay.stop();

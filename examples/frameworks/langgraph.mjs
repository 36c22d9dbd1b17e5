// An agent of LangChain and LangGraph that asks an expert when it is stuck, and before its tool runs. It goes on where it was killed.
// Run, with RELAY_URL and RELAY_API_KEY set: node examples/frameworks/langgraph.mjs job-7
import { answerInterrupts, askExpertTool } from '@expert-relay/adapters/langgraph';
import { Command } from '@langchain/langgraph';
import { createAgent, humanInTheLoopMiddleware, tool } from 'langchain';
import { z } from 'zod';
import { openRelay, run, timeoutMs } from './scripted/agent.mjs';
import { checkpointer, model } from './scripted/langgraph.mjs'; // yours, such as a PostgresSaver and 'openai:...'

const removeLogs = tool(
  ({ path, days }) => {
    console.log(`Removing ${path}`);
    return `Removed the logs in ${path} that are older than ${days} days.`;
  },
  {
    name: 'remove_logs',
    description: 'Removes old logs.',
    schema: z.object({ path: z.string(), days: z.number() }),
  },
);
const relay = openRelay();
const tools = [removeLogs, askExpertTool({ relay, run, timeoutMs })];
const agent = createAgent({
  model,
  checkpointer,
  tools,
  middleware: [humanInTheLoopMiddleware({ interruptOn: { remove_logs: true } })],
});

const config = { configurable: { thread_id: run } };
let thread = await agent.graph.getState(config);
if (!thread.createdAt) await agent.invoke({ messages: 'Remove the old logs.' }, config);
for (;;) {
  thread = await agent.graph.getState(config);
  const interrupts = thread.tasks.flatMap((task) => task.interrupts);
  if (interrupts.length === 0) break;
  const resume = await answerInterrupts(interrupts, { relay, run, tools, timeoutMs, agent: 'Cleaner' });
  await agent.invoke(new Command({ resume }), config);
}
console.log(thread.values.messages.at(-1).text);
relay.stop();

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { InMemoryStore } from '@mastra/core/storage';
import { callsOf, lastWords, stateFile } from './agent.mjs';

const usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };

/** A model as AI SDK 5 has it. */
export const model = {
  specificationVersion: 'v2',
  provider: 'scripted',
  modelId: 'scripted',
  supportedUrls: {},
  async doGenerate({ prompt }) {
    const turn = prompt.filter(({ role }) => role === 'assistant').length;
    const calls = callsOf(turn);
    const results = prompt.flatMap(({ role, content }) => (role === 'tool' ? content : []));
    const text = lastWords(results.map(({ output }) => output.value));
    const content = calls.map(({ id, name, args }) => ({
      type: 'tool-call',
      toolCallId: id,
      toolName: name,
      input: JSON.stringify(args),
    }));
    return {
      content: content.length > 0 ? content : [{ type: 'text', text }],
      finishReason: content.length > 0 ? 'tool-calls' : 'stop',
      usage,
      warnings: [],
    };
  },
  async doStream(options) {
    const { content, finishReason } = await model.doGenerate(options);
    const parts = content.flatMap((part) =>
      part.type === 'text'
        ? [
            { type: 'text-start', id: '1' },
            { type: 'text-delta', id: '1', delta: part.text },
            { type: 'text-end', id: '1' },
          ]
        : [part],
    );
    const all = [{ type: 'stream-start', warnings: [] }, ...parts, { type: 'finish', finishReason, usage }];
    return { stream: ReadableStream.from(all) };
  },
};

/** Mastra's storage in memory, whose suspended runs are also in a file. */
export const storage = new InMemoryStore();
const runsFile = `${stateFile}.runs`;
mkdirSync(dirname(runsFile), { recursive: true, mode: 0o700 });
const { workflows } = storage.stores;
for (const name of ['persistWorkflowSnapshot', 'updateWorkflowResults', 'updateWorkflowState']) {
  const change = workflows[name].bind(workflows);
  workflows[name] = async (run) => {
    const result = await change(run);
    const { workflowName, runId } = run;
    const snapshot = await workflows.loadWorkflowSnapshot({ workflowName, runId });
    const runs = { ...readRuns(), [`${workflowName} ${runId}`]: { workflowName, runId, snapshot } };
    writeFileSync(runsFile, JSON.stringify(runs));
    return result;
  };
}
for (const run of Object.values(readRuns())) await workflows.persistWorkflowSnapshot(run);

function readRuns() {
  try {
    return JSON.parse(readFileSync(runsFile, 'utf8'));
  } catch {
    return {};
  }
}

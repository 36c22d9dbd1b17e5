import { MockLanguageModelV3 } from 'ai/test';
import { callsOf, lastWords } from './agent.mjs';

const usage = { inputTokens: { total: 0 }, outputTokens: { total: 0 } };

export const model = new MockLanguageModelV3({
  doGenerate: async ({ prompt }) => {
    const turn = prompt.filter(({ role }) => role === 'assistant').length;
    const calls = callsOf(turn);
    const results = prompt.flatMap(({ role, content }) => (role === 'tool' ? content : []));
    const text = lastWords(results.map(({ output }) => output.reason ?? output.value));
    return {
      content:
        calls.length > 0
          ? calls.map(({ id, name, args }) => ({
              type: 'tool-call',
              toolCallId: id,
              toolName: name,
              input: JSON.stringify(args),
            }))
          : [{ type: 'text', text }],
      finishReason: { unified: calls.length > 0 ? 'tool-calls' : 'stop', raw: undefined },
      usage,
      warnings: [],
    };
  },
});

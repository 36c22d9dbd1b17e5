import { Usage } from '@openai/agents';
import { callsOf, lastWords } from './agent.mjs';

export const model = {
  async getResponse({ input }) {
    const turn = input.filter(
      ({ type }, index) => type === 'function_call' && input[index - 1]?.type !== type,
    ).length;
    const results = input.filter(({ type }) => type === 'function_call_result');
    const calls = callsOf(turn);
    const text = lastWords(results.map(({ output }) => output.text ?? output));
    const said = { role: 'assistant', status: 'completed', content: [{ type: 'output_text', text }] };
    const output =
      calls.length > 0
        ? calls.map(({ id, name, args }) => ({
            type: 'function_call',
            callId: id,
            name,
            arguments: JSON.stringify(args),
            status: 'completed',
          }))
        : [{ type: 'message', ...said }];
    return { usage: new Usage(), output };
  },
};

import { type ScriptedModel, sendEvents, serveModel } from './serve-model.ts';

interface Call {
  readonly input: readonly { readonly type: string; readonly output?: string }[];
}

/** OpenAI's Responses API. Its model runs these commands outside of the sandbox, one after the other, and then says that it is done. */
export async function startResponsesApi(commands: readonly string[]): Promise<ScriptedModel> {
  let results: readonly string[] = [];
  const served = await serveModel((_path, body, response) => {
    const { input } = body as Call;
    results = input.filter(({ type }) => type === 'function_call_output').map(({ output = '' }) => output);
    const { length } = results;
    const cmd = commands[length];
    const args = { cmd, sandbox_permissions: 'require_escalated', justification: 'It needs more.' };
    const item =
      cmd === undefined
        ? { type: 'message', id: 'm', role: 'assistant', content: [{ type: 'output_text', text: 'Done.' }] }
        : {
            type: 'function_call',
            call_id: `call_${length}`,
            name: 'exec_command',
            arguments: JSON.stringify(args),
          };
    const id = `response_${length}`;
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
    sendEvents(response, [
      { type: 'response.created', response: { id } },
      { type: 'response.output_item.done', item },
      { type: 'response.completed', response: { id, usage } },
    ]);
  });
  return { ...served, results: () => results };
}

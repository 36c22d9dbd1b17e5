import { type ScriptedModel, sendEvents, serveModel } from './serve-model.ts';

/** One call of a tool by the model. */
export interface ToolUse {
  readonly name: string;
  readonly input: object;
}

interface Block {
  readonly type: string;
  readonly content?: string | readonly Block[];
  readonly text?: string;
}

interface Call {
  readonly stream?: boolean;
  readonly tools?: readonly object[];
  readonly messages?: readonly { readonly content: string | readonly Block[] }[];
}

const resultsIn = ({ messages = [] }: Call): string[] =>
  messages
    .flatMap(({ content }) => (typeof content === 'string' ? [] : content))
    .filter(({ type }) => type === 'tool_result')
    .map(({ content = '' }) =>
      typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('\n'),
    );

/** Anthropic's Messages API. Its model makes these calls, one after the other, and then says that it is done. */
export async function startMessagesApi(uses: readonly ToolUse[]): Promise<ScriptedModel> {
  let results: readonly string[] = [];
  const served = await serveModel((path, body, response) => {
    if (path.includes('count_tokens')) return void response.end('{"input_tokens":1}');
    const call = body as Call;
    const given = resultsIn(call);
    // Claude Code also asks its model for other things, such as a title, without tools.
    const isAgent = (call.tools?.length ?? 0) > 0;
    if (isAgent) results = given;
    const use = isAgent ? uses[given.length] : undefined;
    const message = {
      id: `msg_${given.length}`,
      type: 'message',
      role: 'assistant',
      model: 'scripted',
      content: [],
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    };
    const stop_reason = use ? 'tool_use' : 'end_turn';
    const block = use ? { type: 'tool_use', id: `toolu_${given.length}`, name: use.name } : { type: 'text' };
    const [empty, whole, delta] = use
      ? [{ input: {} }, use, { type: 'input_json_delta', partial_json: JSON.stringify(use.input) }]
      : [{ text: '' }, { text: 'Done.' }, { type: 'text_delta', text: 'Done.' }];
    if (!call.stream) {
      response.setHeader('content-type', 'application/json');
      return void response.end(
        JSON.stringify({ ...message, content: [{ ...block, ...whole }], stop_reason }),
      );
    }
    sendEvents(response, [
      { type: 'message_start', message },
      { type: 'content_block_start', index: 0, content_block: { ...block, ...empty } },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 1 } },
      { type: 'message_stop' },
    ]);
  });
  return { ...served, results: () => results };
}

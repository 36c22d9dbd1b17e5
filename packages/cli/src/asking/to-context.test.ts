import { expect, test } from '@jest/globals';
import { toContext } from './to-context.ts';

const user = { role: 'user', content: 'The deploy hangs.' };
const image = { role: 'user', content: 'See:\n[image_url: not shown]' };
const call = { role: 'assistant', content: 'I look.\n[calls ls: {"path":"/"}]' };
const result = { role: 'tool', content: '[result: a\nb]' };

test.each<[string, unknown, unknown]>([
  ['plain', [user], [user]],
  ['an object with messages', { messages: [user] }, [user]],
  [
    'OpenAI chat',
    [
      { role: 'developer', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'See:' },
          { type: 'image_url', image_url: { url: 'data:' } },
        ],
      },
      {
        role: 'assistant',
        content: 'I look.',
        tool_calls: [{ id: '1', function: { name: 'ls', arguments: '{"path":"/"}' } }],
      },
      { role: 'tool', tool_call_id: '1', content: 'a' },
      { role: 'assistant', content: null },
    ],
    [{ role: 'system', content: 'Be brief.' }, image, call, { role: 'tool', content: 'a' }],
  ],
  [
    'OpenAI responses',
    [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: user.content }] },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }] },
      { type: 'function_call', name: 'ls', arguments: '{"path":"/"}', call_id: '1' },
      { type: 'function_call_output', call_id: '1', output: 'a\nb' },
    ],
    [
      user,
      { role: 'assistant', content: 'I look.' },
      { role: 'assistant', content: '[calls ls: {"path":"/"}]' },
      result,
    ],
  ],
  [
    'Anthropic',
    [
      { role: 'user', content: [{ type: 'text', text: user.content }] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: '...' },
          { type: 'text', text: 'I look.' },
          { type: 'tool_use', id: '1', name: 'ls', input: { path: '/' } },
        ],
      },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: '1', content: [{ type: 'text', text: 'a\nb' }] }],
      },
    ],
    [user, call, { ...result, role: 'user' }],
  ],
  [
    'LangChain',
    [
      { type: 'human', content: user.content },
      {
        lc: 1,
        type: 'constructor',
        id: ['langchain_core', 'messages', 'AIMessageChunk'],
        kwargs: { content: 'I look.', tool_calls: [{ name: 'ls', args: { path: '/' } }] },
      },
      { type: 'tool', data: { content: 'a' } },
    ],
    [user, call, { role: 'tool', content: 'a' }],
  ],
  [
    'AI SDK',
    [
      { id: '1', role: 'user', parts: [{ type: 'text', text: user.content }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I look.' },
          { type: 'tool-call', toolCallId: '1', toolName: 'ls', input: { path: '/' } },
        ],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: '1', toolName: 'ls', output: { type: 'text', value: 'a\nb' } },
        ],
      },
      {
        role: 'assistant',
        parts: [
          { type: 'step-start' },
          { type: 'tool-ls', state: 'output-available', input: { path: '/' }, output: 'a\nb' },
        ],
      },
    ],
    [user, call, result, { role: 'assistant', content: '[calls ls: {"path":"/"}]\n[result: a\nb]' }],
  ],
  ['a text', 'some log', undefined],
  ['other JSON', [{ level: 'error', message: 'x' }], undefined],
  ['an empty list', [], undefined],
])('%s', (_form, json, expected) => {
  expect(toContext(json)).toEqual(expected);
});

test.each([
  [[{ role: 'user', content: [{ type: 'hologram' }] }], 'a part of the type "hologram" (message 1)'],
  [
    [user, { role: 'user', content: { text: 'x' } }],
    'a content that is neither a text nor a list (message 2)',
  ],
  [[{ role: 'user', content: [7] }], 'a part that is no object (message 1)'],
])('what the expert would not see is refused: %j', (json, sentence) => {
  expect(() => toContext(json)).toThrow(sentence);
});

import type { Message } from '@expert-relay/sdk';
import { expect, test } from '@jest/globals';
import { requestView } from '../testing/requests.ts';
import type { RequestView } from './conversation-state.ts';
import { awayOf, shownMessages, unreadOf } from './shown-texts.ts';

const message = (messageId: string, from: Message['from']): Message => ({
  from,
  messageId,
  text: messageId,
  createdAt: '2026-11-21T09:01:00.000Z',
  protection: 'sequenced',
});
const messages = [message('one', 'agent'), message('yes', 'expert'), message('two', 'agent')];
const context = ['Before.', 'Then.'].map((content) => ({ role: 'user', content }));
const other = { plaintext: 'May I drop it?' };
const same = { plaintext: requestView.question };

/** All that the expert's signature covers. */
test.each<[string, Partial<RequestView>, readonly string[], string | undefined]>([
  ['the question', {}, ['two'], 'question'],
  ['another plain text', other, ['question', 'two'], 'plaintext'],
  ['a plain text without a question', { ...other, question: '' }, ['question', 'two'], 'plaintext'],
  ['the first message before it', { context }, ['question', 'context:1', 'two'], 'context:0'],
  ['the last message before it', { context }, ['question', 'context:0', 'two'], 'context:1'],
  ['what the agent wrote since the last answer', same, ['question'], 'two'],
  ['nothing', { context, ...other }, ['question', 'plaintext', 'context:0', 'context:1', 'two'], undefined],
])('%s is unread', (_, change, shown, unread) => {
  const request = { ...requestView, ...change };
  const state = { request, messages, shown: new Set(shown) };
  expect(unreadOf(state)).toEqual(unread === undefined ? [] : [unread]);
  // What is in view is not what the expert must scroll to.
  expect(awayOf({ ...state, inView: new Set() })).toBe(unread);
  expect(awayOf({ ...state, inView: new Set(unread === undefined ? [] : [unread]) })).toBeUndefined();
});

test('an encrypted answer names only what was shown here; one in plain text all before an own answer too', () => {
  const shown = new Set(['question', 'two']);
  const names = (encrypted: boolean) =>
    shownMessages({ request: { ...requestView, encrypted }, messages, shown });
  expect(names(true)).toEqual(['two']);
  expect(names(false)).toEqual(['one', 'yes', 'two']);
});

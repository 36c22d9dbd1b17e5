import type { ExpertMessage } from '@expert-relay/sdk/expert';
import { expect, test } from '@jest/globals';
import { requestView } from '../testing/requests.ts';
import { shownMessages, unreadOf } from './shown-texts.ts';

const message = (messageId: string, role: ExpertMessage['role']): ExpertMessage => ({
  ...{ role, messageId, text: messageId },
  ...{ createdAt: '2026-11-21T09:01:00.000Z', protection: 'sequenced' },
});
const messages = [message('one', 'consumer'), message('yes', 'provider'), message('two', 'consumer')];
const context = [{ role: 'user', content: 'Before.' }];

test.each([
  ['the question', [], [], 'question'],
  ['its context', context, ['question'], 'context'],
  ['what the agent wrote since the last answer', [], ['question'], 'two'],
  ['nothing', context, ['question', 'context', 'two'], undefined],
])('%s is unread', (_, before, shown, unread) => {
  const request = { ...requestView, context: before };
  expect(unreadOf({ request, messages, shown: new Set(shown) })).toBe(unread);
});

test('an encrypted answer names only what was shown here; one in plain text all before an own answer too', () => {
  const shown = new Set(['question', 'two']);
  const names = (encrypted: boolean) =>
    shownMessages({ request: { ...requestView, encrypted }, messages, shown });
  expect(names(true)).toEqual(['two']);
  expect(names(false)).toEqual(['one', 'yes', 'two']);
});

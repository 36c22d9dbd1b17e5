import type { Message } from '@expert-relay/sdk';
import { expect, test } from '@jest/globals';
import { requestView as request } from '../testing/requests.ts';
import type { RequestView } from './conversation-state.ts';
import { describeState, groupMessages } from './group-messages.ts';

const whole = { start: 0 };

const message = (from: Message['from'], minute: number, more: Partial<Message> = {}): Message => ({
  from,
  text: `At ${minute}`,
  messageId: `m${minute}`,
  createdAt: new Date(Date.UTC(2026, 10, 21, 9, minute)).toISOString(),
  protection: 'sequenced',
  ...more,
});

/** Each item in one line: the sender and the number of messages, or the text of a change of state. */
const outline = (view: RequestView, messages: readonly Message[], options = whole) =>
  groupMessages(view, messages, options).map((item) =>
    item.kind === 'line' ? item.text : `${item.from} ${item.messages.length}`,
  );

test('messages of one sender form a group until the other one writes, or ten minutes pass', () => {
  const picked = { ...request, isPickedUp: true, status: 'responded' as const };
  const messages = [
    message('expert', 1),
    message('expert', 2),
    message('agent', 3),
    message('agent', 4),
    message('agent', 20),
  ];
  expect(outline(picked, messages)).toEqual(['expert 1', 'Answered', 'expert 1', 'agent 2', 'agent 1']);
});

test('the last line says how the conversation ended', () => {
  expect(outline({ ...request, status: 'closed' }, [])).toEqual(['Ended']);
  const closed = { ...request, status: 'closed' as const };
  expect(outline({ ...closed, closedBy: 'expert' }, [])).toEqual(['Ended by you']);
  expect(outline({ ...closed, closedBy: 'agent' }, [])).toEqual(['Ended by the agent']);
  const reason = { closedBy: 'agent', closeReason: 'It is gone.' } as const;
  expect(outline({ ...closed, ...reason }, [])).toEqual(['Ended by the agent (not encrypted)']);
  expect(groupMessages({ ...closed, ...reason, encrypted: false }, [], whole)).toMatchObject([
    { text: 'Ended by the agent', reason: 'It is gone.' },
  ]);
  expect(outline({ ...request, status: 'expired' }, [])).toEqual(['Expired']);
});

test('of a long conversation only the newest messages are shown, without earlier changes of state', () => {
  const messages = Array.from({ length: 50 }, (_, minute) =>
    message(minute % 2 ? 'expert' : 'agent', minute),
  );
  expect(outline({ ...request, isPickedUp: true }, messages, { start: 47 })).toEqual([
    'expert 1',
    'agent 1',
    'expert 1',
  ]);
});

test('ten thousand messages are grouped within two seconds of CPU time', () => {
  const messages = Array.from({ length: 10_000 }, (_, at) => message(at % 3 ? 'expert' : 'agent', at));
  const { user: before } = process.cpuUsage();
  expect(groupMessages(request, messages, whole).length).toBeGreaterThan(1_000);
  expect(process.cpuUsage().user - before).toBeLessThan(2_000_000);
});

test('the newest message decides whose turn it is', () => {
  expect(describeState(request, [], [])).toBe('Waiting for you');
  expect(describeState(request, [message('expert', 1)], [])).toBe('Answered');
  expect(describeState(request, [message('expert', 1), message('agent', 2)], [])).toBe('Waiting for you');
  expect(describeState({ ...request, status: 'responded' }, [], [])).toBe('Answered');
  expect(describeState({ ...request, status: 'closed' }, [], [])).toBe('Ended');
});

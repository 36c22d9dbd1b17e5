import { describe, expect, test } from '@jest/globals';
import type { NoticeDelivery } from '../deliveries/claim-for-people.ts';
import { chatText } from './send-chat.ts';

const publicUrl = 'https://relay.example';
let count = 0;
const delivery = (members: Partial<NoticeDelivery> = {}): NoticeDelivery => ({
  id: `msg_${++count}`,
  attempt: 1,
  type: 'request.created',
  requestId: `request ${count}`,
  refCode: 'HS-7K3M9QXA',
  agentName: 'build agent',
  form: null,
  question: null,
  secondsLeft: 60,
  endpointsOff: null,
  ...members,
});
const textOf = (...deliveries: NoticeDelivery[]) => chatText({ deliveries }, publicUrl);

test('a message has the code, the link and the agent, and the question only if it is shown', () => {
  expect(textOf(delivery())).toBe(
    '`build agent` asks a question: HS-7K3M9QXA https://relay.example/dashboard/code/HS-7K3M9QXA',
  );
  expect(textOf(delivery({ question: 'May I?', form: 'approval' }))).toMatch(
    /^`build agent` asks for your approval: HS-7K3M9QXA https:\S+\n```\nMay I\?\n```$/,
  );
  expect(textOf(delivery({ form: 'form' }))).toContain(' asks for a decision: ');
  expect(textOf(delivery({ type: 'message.created', form: 'form' }))).toContain(' has written again: ');
  expect(textOf(delivery({ agentName: null }))).toMatch(/^An agent asks a question: /);
  expect(textOf(delivery({ type: 'request.answered' }))).toBe('Answered: HS-7K3M9QXA');
});

describe('a text of an agent', () => {
  test.each([
    ['ends the block', '```\n<!channel>', /^[^`]*$/],
    ['is a mention of Slack', '<!channel> <@U1> <#C1>', /^[^<>]*$/],
    ['is a mention of Mattermost or Discord', '@everyone @here @channel <@&1>', /@(?!\u200b)/],
    [
      'is a link',
      'https://evil.example [x](http://evil.example) www.evil.example',
      /:\/\/|www\.(?!\u200b)|evil\.(?!\u200b)/,
    ],
    ['hides', 'a\u202eb\u200bc', /[\u202e\u200b]/],
  ])('has no effect if it %s', (name, text, pattern) => {
    for (const members of [{ question: text }, { agentName: text }]) {
      const parts = /^`([^`]*)` asks a question: HS-7K3M9QXA https:\S+(?:\n```([^`]*)```)?$/.exec(
        textOf(delivery(members)),
      );
      const shown = parts?.slice(1).join(' ') ?? '`';
      const isAllowed = pattern.source.startsWith('^');
      if (isAllowed) expect(shown).toMatch(pattern);
      else expect(shown).not.toMatch(pattern);
      expect(name).toBeDefined();
    }
  });

  test('is shortened', () => {
    const text = textOf(delivery({ question: '𝒬'.repeat(5_000), agentName: 'x'.repeat(100) }));
    expect([...text].length).toBeLessThan(700);
    expect(text.isWellFormed()).toBe(true);
  });
});

test('many requests fit into one message, and what does not is counted', () => {
  const text = textOf(...Array.from({ length: 50 }, () => delivery({ question: 'q'.repeat(600) })));
  expect(text.length).toBeLessThanOrEqual(2_000);
  expect(text).toMatch(/\nAnd 4[5-9] more: https:\/\/relay\.example\/dashboard$/);
});

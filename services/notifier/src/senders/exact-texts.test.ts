import { exactTexts, longText } from '@expert-relay/testkit';
import { describe, expect, test } from '@jest/globals';
import type { NoticeDelivery } from '../deliveries/claim-for-people.ts';
import { chatText } from './send-chat.ts';
import { composeEmail } from './send-email.ts';
import { payloadOf } from './send-push.ts';

/*
 * What an agent wrote is shown as it was written: no character is missing or in another order, and what is shortened ends with an
 * ellipsis. The characters that email and chat must change are those of docs/notifications.md.
 */

const publicUrl = 'https://relay.example';
const delivery = (members: Partial<NoticeDelivery>): NoticeDelivery => ({
  id: 'msg_1',
  attempt: 1,
  type: 'request.created',
  requestId: 'request 1',
  refCode: 'HS-7K3M9QXA',
  agentName: null,
  form: null,
  question: null,
  secondsLeft: 60,
  endpointsOff: null,
  ...members,
});

const emailOf = (one: NoticeDelivery) =>
  composeEmail({ deliveries: [one], endpointId: 'channel' }, { unsubscribeToken: 'stop' }, publicUrl);
const withoutWidth = (text: string) => text.replaceAll('\u200b', '');

/** A surface, and how a reader of it gets the question and the name. */
const surfaces: readonly [string, (one: NoticeDelivery) => { question: string; agentName: string }][] = [
  [
    'push',
    (one) => {
      const { title, question } = JSON.parse(payloadOf({ deliveries: [one] }));
      return { question, agentName: title.replace(/ asks a question$/, '') };
    },
  ],
  [
    'email',
    (one) => {
      const [head = '', ...lines] = withoutWidth(emailOf(one).text).split('\n');
      const question = lines.slice(0, lines.indexOf(`${publicUrl}/dashboard/code/HS-7K3M9QXA`));
      return {
        question: question.map((line) => line.replace(/^> /, '')).join('\n'),
        agentName: head.replace(/ asks a question \(HS-7K3M9QXA\)\.$/, ''),
      };
    },
  ],
  [
    'the subject of an email',
    (one) => ({
      question: one.question ?? '',
      agentName: withoutWidth(emailOf(one).subject).replace(/ asks a question \(HS-7K3M9QXA\)$/, ''),
    }),
  ],
  [
    'chat',
    (one) => {
      const [head = '', block = ''] = chatText({ deliveries: [one] }, publicUrl).split('```');
      const shown = (text: string) =>
        withoutWidth(text).replaceAll('ˋ', '`').replaceAll('‹', '<').replaceAll('›', '>');
      const [, name = ''] = head.split('`');
      return { question: shown(block).slice(1, -1), agentName: shown(name) };
    },
  ],
];

const asShown = (text: string, most: number) => {
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`;
};
const texts = Object.entries({ ...exactTexts, indented: '    - a: 1\n      b: 2' });

describe.each(surfaces)('in %s', (name, read) => {
  test.each(texts)('%s is shown as it was written, short and long', (_, text) => {
    for (const question of [text, longText(text)]) {
      const oneLine = question.replace(/\s+/g, ' ').trim();
      const shown = read(delivery({ question, agentName: question }));
      expect(shown.agentName).toBe(asShown(oneLine, 60));
      if (name !== 'the subject of an email') expect(shown.question).toBe(asShown(question, 500));
    }
  });
});

test.each([
  'https://evil.example/a',
  'HTTP://EVIL.EXAMPLE',
  'www.evil.example',
  'evil.example/unsubscribe',
  'sign in at 1.evil.example.',
  'mailto:ada@evil.example',
  'ftp://x',
  'Grüße.münchen.example',
])('no link can be made of %s, in an email and a chat', (text) => {
  const one = delivery({ question: `Stop these emails: ${text}`, agentName: `Relay: ${text}` });
  const { subject, text: body } = emailOf(one);
  const [own = ''] = body.split('\n\n-- \n');
  const parts = [
    subject,
    own.replace(/^https:\S+$/m, ''),
    chatText({ deliveries: [one] }, publicUrl).replace(/https:\/\/relay\.example\S+/, ''),
  ];
  for (const part of parts) expect(part).not.toMatch(/:\/\/|\p{L}\.\p{L}|\d\.\p{L}|\S@\S(?<!\u200b)/u);
});

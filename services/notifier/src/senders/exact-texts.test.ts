import { exactTexts, longText } from '@expert-relay/testkit';
import { describe, expect, test } from '@jest/globals';
import type { NoticeDelivery } from '../deliveries/claim-for-people.ts';
import { chatText } from './send-chat.ts';
import { composeMail } from './send-mail.ts';
import { payloadOf } from './send-push.ts';

/*
 * What an agent wrote is shown as it was written: no character is missing or in another order, and what is shortened ends with an
 * ellipsis. The characters that mail and chat must change are those of docs/notifications.md.
 */

const publicUrl = 'https://relay.example';
const delivery = (members: Partial<NoticeDelivery>): NoticeDelivery => ({
  id: 'msg_1',
  attempt: 1,
  type: 'request.created',
  requestId: 'request 1',
  refCode: 'HS-7K3M9QXA',
  agentName: null,
  question: null,
  secondsLeft: 60,
  endpointsOff: null,
  ...members,
});

const mailOf = (one: NoticeDelivery) =>
  composeMail({ deliveries: [one], endpointId: 'channel' }, { unsubscribeToken: 'stop' }, publicUrl);
const withoutWidth = (text: string) => text.replaceAll('\u200b', '');

/** A surface, and how a reader of it gets the question and the name. */
const surfaces: readonly [string, (one: NoticeDelivery) => { question: string; agentName: string }][] = [
  ['push', (one) => JSON.parse(payloadOf({ deliveries: [one] }))],
  [
    'mail',
    (one) => {
      const [head = '', ...lines] = withoutWidth(mailOf(one).text).split('\n');
      const question = lines.slice(0, lines.indexOf(`${publicUrl}/dashboard/code/HS-7K3M9QXA`));
      return {
        question: question.map((line) => line.replace(/^> /, '')).join('\n'),
        agentName: head.replace('HS-7K3M9QXA, from ', ''),
      };
    },
  ],
  [
    'the subject of a mail',
    (one) => ({
      question: one.question ?? '',
      agentName: /\((.*)\)$/.exec(withoutWidth(mailOf(one).subject))?.[1] ?? '',
    }),
  ],
  [
    'chat',
    (one) => {
      const [, block = ''] = chatText({ deliveries: [one] }, publicUrl).split('```');
      const shown = withoutWidth(block).replaceAll('ˋ', '`').replaceAll('‹', '<').replaceAll('›', '>');
      const [, head = '', ...lines] = shown.split('\n');
      return { question: lines.slice(0, -1).join('\n'), agentName: head.replace('From ', '') };
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
      if (name !== 'the subject of a mail') expect(shown.question).toBe(asShown(question, 500));
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
])('no link can be made of %s, in a mail and a chat', (text) => {
  const one = delivery({ question: `Stop these mails: ${text}`, agentName: `Relay: ${text}` });
  const { subject, text: body } = mailOf(one);
  const [own = ''] = body.split('\n\n-- \n');
  const parts = [
    subject,
    own.replace(/^https:\S+$/m, ''),
    chatText({ deliveries: [one] }, publicUrl).split('```')[1],
  ];
  for (const part of parts) expect(part).not.toMatch(/:\/\/|\p{L}\.\p{L}|\d\.\p{L}|\S@\S(?<!\u200b)/u);
});

import { type Part, writeParts } from '@expert-relay/sdk/crypto/wire';
import { createExpert, type ExpertRequest } from '@expert-relay/sdk/expert';
import type { Content, Form } from '@expert-relay/sdk/forms';
import { eventually, startLyingRelay } from '@expert-relay/testkit';
import { alterList } from '@expert-relay/testkit/lies';
import { describe, expect, test } from '@jest/globals';
import { type McpSession, useMcpRelay } from '../testing/mcp-session.ts';
import { sendParts } from '../testing/send-parts.ts';

const { withClient } = useMcpRelay();

const question = 'May I?';
const approval: Form = { type: 'object', properties: {} };
const yes = { action: 'accept', content: {} } as const;
const no = { action: 'decline' } as const;
const titled = [
  { const: 'eu', title: 'Europe' },
  { const: 'us', title: 'United States' },
];

/** Each type of field, with what the expert gives and how it is shown to the model. */
const fields: readonly (readonly [Form['properties'][string], Content[string] | undefined, string?])[] = [
  [{ type: 'string', title: 'A text', maxLength: 20 }, 'naïve 😀'],
  [{ type: 'string', format: 'email' }, 'ada@example.org'],
  [{ type: 'string', format: 'uri' }, 'https://example.org/a?b=c'],
  [{ type: 'string', format: 'date' }, '2026-02-28'],
  [{ type: 'string', format: 'date-time' }, '2026-02-28T23:59:59+01:00'],
  [{ type: 'number', minimum: -1 }, -0.5],
  [{ type: 'integer', maximum: 3 }, 3],
  [{ type: 'boolean' }, true, 'yes'],
  [{ type: 'boolean', default: true }, false, 'no'],
  [{ type: 'string', enum: ['eu', 'us'] }, 'us'],
  [{ type: 'string', title: 'Region', oneOf: titled }, 'us', 'United States'],
  [{ type: 'array', items: { type: 'string', enum: ['a', 'b', 'c'] } }, ['a', 'c'], 'a, c'],
  [{ type: 'array', items: { anyOf: titled }, maxItems: 1 }, ['eu'], 'Europe'],
  [{ type: 'string', default: 'left empty by the expert' }, undefined],
];
const nameOf = (index: number) => `field${index}`;
const everything: Form = {
  type: 'object',
  properties: Object.fromEntries(fields.map(([field], index) => [nameOf(index), field])),
};
const content: Content = Object.fromEntries(
  fields.flatMap(([_, value], index) => (value === undefined ? [] : [[nameOf(index), value]])),
);

/** What stands between the marks. */
function quotedIn(text: string): string[] {
  const [, mark = ''] = /begin ([0-9a-f]{12}) -----\n/.exec(text) ?? [];
  const [, quoted = ''] = text.split(`begin ${mark} -----\n`);
  return (quoted.split(`\n----- end ${mark}`)[0] ?? '').split('\n');
}

/** A question with a form, and the expert's request once the form is there. */
async function askWith(session: McpSession, form: Form, input: Record<string, unknown> = {}) {
  const { reference, request } = await session.ask({ question, form, ...input });
  await request.pickUp();
  await eventually('the form', async () => {
    await request.refresh();
    return request.form;
  });
  // As an expert's program does, it has been given what it answers to.
  if (input.confidential) await takeUntil(request, question);
  return { reference, request };
}

/** The expert's program is given the messages up to this one. */
async function takeUntil({ messages }: Pick<ExpertRequest, 'messages'>, last: string): Promise<void> {
  for await (const { text } of messages) if (text === last) return;
}

describe("the expert's decision", () => {
  test.concurrent.each([true, false])(
    'has the values of all types of fields (confidential: %s)',
    (confidential) =>
      withClient(async (session) => {
        const { reference, request } = await askWith(session, everything, { confidential });
        await request.answer('As discussed.', { decision: { action: 'accept', content } });
        const { data, text, isError } = await session.wait(reference);
        expect({ isError, text }).toMatchObject({ isError: false });
        expect(data).toMatchObject({
          outcome: 'accepted',
          form_is_open: false,
          answers: [],
          decision: {
            action: 'accept',
            content,
            comment: 'As discussed.',
          },
        });
        expect(data.decision.content).toEqual(content);
        expect(text).toMatch(
          /^Outcome: accepted\nThe expert has filled in your form of HS-.* met for the first time/,
        );
        const shown = fields.flatMap(([{ title }, value, words = String(value)], index) =>
          value === undefined ? [] : `${title ?? nameOf(index)}: ${words}`,
        );
        expect(quotedIn(text)).toEqual([
          ...shown,
          `As JSON: ${JSON.stringify(content)}`,
          'Comment: As discussed.',
        ]);
      })(),
  );

  test.concurrent(
    'is a no, and the text tells the model to obey',
    withClient(async (session) => {
      const { reference, request } = await askWith(session, everything);
      await request.answer('Not on a Friday.', { decision: no });
      const { data, text } = await session.wait(reference);
      expect(data).toMatchObject({
        outcome: 'declined',
        decision: { action: 'decline', comment: 'Not on a Friday.' },
      });
      expect(data.decision.content).toBeUndefined();
      expect(text).toMatch(
        /^Outcome: declined\nThe expert has DECLINED HS-\w+\. .*\nDeclined means no: .*\nNext: Do not do it\./s,
      );
      expect(quotedIn(text)).toEqual(['Comment: Not on a Friday.']);
    }),
  );

  test.concurrent(
    'survives a crash of the server',
    withClient(async (session) => {
      const { reference, request } = await askWith(session, approval);
      const waiting = session.wait(reference).catch(() => undefined);
      await session.agent.kill();
      await waiting;
      await request.answer('', { decision: yes });
      await session.start();
      expect((await session.wait(reference)).data.outcome).toBe('accepted');
      expect((await session.waitWithoutAnswer(reference)).data.form_is_open).toBe(false);
    }),
  );

  test.concurrent(
    'about the form of a reply replaces the first one',
    withClient(async (session) => {
      const { reference, request } = await askWith(session, approval);
      await request.answer('', { decision: yes });
      expect((await session.wait(reference)).data.outcome).toBe('accepted');
      const [[region]] = [fields.slice(10)];
      const form = { type: 'object', properties: { where: region?.[0] } };
      await session.agent.call('reply', { reference, text: 'And where?', form });
      await eventually('the second form', async () => {
        await request.refresh();
        return Object.keys(request.form?.form?.properties ?? {}).length;
      });
      expect((await session.waitWithoutAnswer(reference)).data.form_is_open).toBe(true);
      await takeUntil(request, 'And where?');
      await request.answer('', { decision: { action: 'accept', content: { where: 'eu' } } });
      expect((await session.wait(reference)).data).toMatchObject({
        outcome: 'accepted',
        decision: { content: { where: 'eu' } },
      });
    }),
  );
});

const noYes = /neither a yes nor a no\. Do not act as if it were approved/;

describe('nothing else is a decision:', () => {
  test.concurrent(
    'a text is not',
    withClient(async (session) => {
      const { reference, request } = await askWith(session, approval);
      await request.answer('Yes, approved. {"action":"accept"}');
      const { data, text } = await session.wait(reference);
      expect(data).toMatchObject({ outcome: 'answered', form_is_open: true });
      expect(data.decision).toBeUndefined();
      expect(text).toMatch(/This is a message, and no decision\./);
      expect(text).toMatch(noYes);
      await request.answer('', { decision: no });
      expect((await session.wait(reference)).data.outcome).toBe('declined');
    }),
  );

  test.concurrent(
    'the time that passes is not',
    withClient(async (session) => {
      const { reference } = await session.ask({ form: approval });
      const { data, text } = await session.waitWithoutAnswer(reference);
      expect(data).toMatchObject({ outcome: 'still_waiting', form_is_open: true });
      expect(text).toMatch(noYes);
      expect((await session.agent.call('conversation_status', { reference })).text).toMatch(noYes);
    }),
  );

  test.concurrent(
    'a closed conversation is not',
    withClient(async (session) => {
      const { reference, request } = await session.ask({ form: approval });
      await request.close();
      const { data, text } = await session.wait(reference);
      expect(data).toMatchObject({ outcome: 'closed', form_is_open: true });
      expect(text).toMatch(noYes);
      expect(text).toContain('\nNext: Do not do what you asked about.');
    }),
  );

  test.concurrent(
    'a decision that did not know the last message is not, until the expert decides again',
    withClient(async (session) => {
      const { reference, request } = await askWith(session, approval);
      await request.answer('', { decision: yes });
      await session.agent.call('reply', { reference, text: 'WAIT: PRODUCTION, too?' });
      const skipped = await eventually('the decision to be passed over', async () => {
        const answer = await session.wait(reference, 2);
        return answer.data?.passed_over === 1 ? answer : undefined;
      });
      expect(skipped.data).toMatchObject({ outcome: 'still_waiting', form_is_open: true });
      expect(skipped.text).toMatch(noYes);
      const any = await session.agent.call('wait_for_answer', {
        reference,
        max_seconds: 50,
        include_early: true,
      });
      expect(any.data).toMatchObject({ outcome: 'answered', form_is_open: true });
      expect(any.text).toMatch(/a decision that does not count: .* Take it neither for a yes nor for a no/);
      await request.refresh();
      expect(request.decision).toBe('reopened');
      await takeUntil(request, 'WAIT: PRODUCTION, too?');
      await request.answer('', { decision: no });
      expect((await session.wait(reference)).data.outcome).toBe('declined');
    }),
  );

  test.concurrent(
    'two different ones are not, unless one of them declines',
    withClient(async (session) => {
      const { relay, tenant } = session;
      const { reference, request } = await askWith(session, everything);
      const root = session.root;
      const other = createExpert({ url: relay.gatewayUrl, apiKey: tenant.providerKey, root });
      const device = await other.request(reference);
      const accept = (field0: string) => ({ decision: { action: 'accept', content: { field0 } } }) as const;
      await request.answer('', accept('Mars'));
      await device.answer('', accept('Venus'));
      const { isError, text } = await session.wait(reference);
      expect({ isError, text }).toEqual({
        isError: true,
        text: expect.stringMatching(
          /\nNext: Do not take any of them for an answer.*\nError code: answer_conflict$/,
        ),
      });
      expect(text).not.toMatch(/Mars|Venus/);
      await device.answer('', { decision: no });
      const outcomes: string[] = [];
      await eventually('the decline', async () => {
        outcomes.push((await session.wait(reference)).data.outcome);
        return outcomes.at(-1) === 'declined';
      });
      // The others are messages that do not count.
      expect(outcomes.slice(0, -1).filter((outcome) => outcome !== 'answered')).toEqual([]);
      other.stop();
    }),
  );

  test.concurrent(
    'a contradiction stays one for the next server, also where the relay hides a part of it, until the form is sent again',
    withClient(async (session) => {
      const { relay, tenant, root } = session;
      const liar = await startLyingRelay(relay);
      await session.start({ RELAY_URL: liar.url });
      const { reference, request } = await askWith(session, everything);
      const other = createExpert({ url: relay.gatewayUrl, apiKey: tenant.providerKey, root });
      const device = await other.request(reference);
      const accept = (field0: string) => ({ decision: { action: 'accept', content: { field0 } } }) as const;
      const { messageId } = await request.answer('', accept('Mars'));
      await device.answer('', accept('Venus'));
      expect((await session.wait(reference)).text).toContain('Error code: answer_conflict');
      liar.tell(
        alterList((messages, answer) => {
          answer.messages = messages.filter((one) => one.messageId !== messageId);
        }),
      );
      expect((await session.wait(reference)).text).toContain('Error code: answer_conflict');
      await session.start({ RELAY_URL: liar.url });
      expect((await session.wait(reference)).text).toContain('Error code: answer_conflict');
      const text = 'You gave two answers. Which one?';
      const replied = await session.agent.call('reply', { reference, text, form_again: true });
      expect(replied).toMatchObject({ isError: false });
      await takeUntil(request, text);
      await request.answer('', accept('Venus'));
      const decided = await session.wait(reference);
      expect(decided.data).toMatchObject({ outcome: 'accepted', decision: { content: { field0: 'Venus' } } });
      other.stop();
      await liar.stop();
    }),
  );

  test.concurrent(
    'a note beside one is named; a note alone is no answer',
    withClient(async (session) => {
      const { gatewayUrl } = session.relay;
      const client = { gatewayUrl, providerKey: session.tenant.providerKey, root: session.root };
      const note: Part = { kind: 199, body: new Uint8Array() };
      const { reference, request } = await askWith(session, approval);
      const of = Uint8Array.from(Buffer.from(request.form?.of ?? '', 'base64'));
      const json = JSON.stringify({ ...yes, decidedAt: new Date().toISOString() });
      await sendParts(client, request.requestId, {
        text: 'Only now.',
        parts: [...writeParts({ answer: { of, json } }), note],
      });
      const { data, text } = await session.wait(reference);
      expect(data).toMatchObject({ outcome: 'accepted', decision: { comment: 'Only now.' } });
      expect(text).toContain('It has a part that this version cannot show.');
      await sendParts(client, request.requestId, { text: '', parts: [note] });
      await session.waitWithoutAnswer(reference);
      await sendParts(client, request.requestId, { text: 'And then?', parts: [] });
      const next = await session.wait(reference);
      expect(next.data).toMatchObject({
        outcome: 'answered',
        answers: [{ text: '' }, { text: 'And then?' }],
      });
      expect(next.text).toContain('It has nothing else, and is no answer.');
    }),
  );

  test.concurrent.each([
    { action: 'accept', content: { field9: 'mars' } },
    { action: 'accept', content: { other: 'eu' } },
    { action: 'maybe' },
  ])('an answer that does not fit the form is not: %j', (answer) =>
    withClient(async (session) => {
      const { reference, request } = await askWith(session, everything);
      const json = JSON.stringify({ ...answer, decidedAt: new Date().toISOString() });
      // As a client of another make may send it: this one checks what its expert gives.
      const { base } = request as unknown as { readonly base: { readonly sender: Sender } };
      await base.sender.send('Mars it is.', { answer: { of: request.form?.of ?? '', json } });
      const { isError, text } = await session.wait(reference);
      expect({ isError, text }).toEqual({
        isError: true,
        text: expect.stringMatching(/\nNext: Do not take it for an answer.*\nError code: answer_invalid$/),
      });
      expect(text).not.toMatch(/mars/i);
      await request.answer('', { decision: { action: 'accept', content: { field9: 'us' } } });
      expect((await session.wait(reference)).data).toMatchObject({
        outcome: 'accepted',
        decision: { content: { field9: 'us' } },
      });
    })(),
  );
});

/** Of the expert's SDK, below its checks. */
interface Sender {
  send(text: string, parts: { answer: { of: string; json: string } }): Promise<unknown>;
}

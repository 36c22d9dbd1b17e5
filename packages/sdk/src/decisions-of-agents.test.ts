import { eventually, type Json, type Lie, type LyingRelay } from '@expert-relay/testkit';
import { beforeEach, describe, expect, jest, test } from '@jest/globals';
import * as z from 'zod';
import { fromBase64 } from './crypto/base64.ts';
import type { Part } from './crypto/frame.ts';
import { makeRoot } from './crypto/index.ts';
import { writeParts } from './crypto/parts.ts';
import type { ExpertRequest } from './expert/index.ts';
import type { Answer, Conversation, ConversationState, FormOrSchema, RelayError } from './index.ts';
import { sendParts } from './testing/send-parts.ts';
import { takeMessages } from './testing/take-messages.ts';
import { useTestServer } from './testing/use-test-server.ts';
import { watchStates } from './testing/watch-states.ts';
import { isNote } from './thread/message-parts.ts';

const server = useTestServer();
const root = makeRoot();
const patiently = { timeoutMs: 60_000 };
const approval = { type: 'object', properties: {} } as const;
const region = {
  type: 'object',
  properties: { region: { type: 'string', enum: ['eu', 'us'] }, count: { type: 'integer' } },
  required: ['region'],
} as const;
const yes = { action: 'accept', content: {} } as const;
const no = { action: 'decline' } as const;
const accept = (content: object) => ({ action: 'accept', content: { ...content } }) as const;
const stored = (state: ConversationState): ConversationState => JSON.parse(JSON.stringify(state));
const code = (code: string) => ({ code });

const openRequest = (conversation: Conversation<unknown>) =>
  server.expert({ root }).request(conversation.requestId);

/** A question with a form, and a device of its expert who has picked it up. */
async function ask<const F extends FormOrSchema>(form: F, asked: object = {}) {
  const conversation = await server.agent().ask({ question: 'May I?', form, ...asked });
  const request = await openRequest(conversation);
  await request.pickUp();
  await conversation.refresh();
  await request.refresh();
  await takeMessages(request);
  return { conversation, request };
}

describe('waiting for a decision', () => {
  test('returns what the expert chose, typed, with the comment and the files', async () => {
    const { conversation, request } = await ask(region);
    const files = [{ name: 'a.txt', mediaType: 'text/plain', bytes: new Uint8Array([65]) }];
    await request.answer('As always.', { decision: accept({ region: 'eu', count: 2 }), files });
    const decision = await conversation.waitForDecision(patiently);
    if (decision.action !== 'accept') throw new Error('declined');
    const { content } = decision;
    const [chosen, count]: ['eu' | 'us', number | undefined] = [content.region, content.count];
    expect([chosen, count]).toEqual(['eu', 2]);
    expect(decision).toMatchObject({ comment: 'As always.', protection: 'sequenced', files });
    expect(Date.parse(decision.decidedAt)).toBeLessThanOrEqual(Date.now());
  });

  test('returns what the library of a schema makes of it, and refuses what that refuses', async () => {
    const form = z.object({ count: z.int().max(9), name: z.string().optional() });
    const odd = form.refine(({ count }) => count % 2 === 1, { message: 'odd only', path: ['count'] });
    const { conversation, request } = await ask(odd);
    await request.answer('', { decision: accept({ count: 2 }) });
    await expect(conversation.waitForDecision(patiently)).rejects.toMatchObject({
      code: 'answer_invalid',
      message: 'count: odd only',
    });
    await request.answer('', { decision: accept({ count: 3 }) });
    const decision = await conversation.waitForDecision(patiently);
    const count: number | undefined = decision.content?.count;
    expect(count).toBe(3);
  });

  test('checks with the schema of the open form, also when a later form could not be sent', async () => {
    const count = z.object({ count: z.int() });
    const odd = count.refine(({ count }) => count % 2 === 1, { message: 'odd only' });
    const { conversation, request } = await ask(odd);
    const name = z.object({ name: z.string() });
    const files = [{ name: 'a.bin', mediaType: 'text/plain', bytes: new Uint8Array(5_000_000) }];
    const signal = AbortSignal.abort();
    for (const failing of [{ files }, { signal }])
      await expect(conversation.send('Or this?', { form: name, ...failing })).rejects.toThrow();
    await request.answer('', { decision: accept({ count: 2 }) });
    await expect(conversation.waitForDecision(patiently)).rejects.toMatchObject(code('answer_invalid'));
  });

  test('goes on after free text, which goes to onReply in order', async () => {
    const { conversation, request } = await ask(approval);
    const replies: Answer[] = [];
    const onReply = async (reply: Answer) => void replies.push(reply);
    const waiting = conversation.waitForDecision({ ...patiently, onReply });
    await request.answer('Yes, yes. Which one?');
    await eventually('the first reply', () => replies.length === 1);
    await request.answer('Never mind.');
    await request.answer('', { decision: yes });
    await request.answer('Have fun.');
    expect(await waiting).toMatchObject({ action: 'accept', comment: '' });
    expect(replies.map(({ text }) => text)).toEqual(['Yes, yes. Which one?', 'Never mind.']);
    expect(await conversation.waitForAnswer(patiently)).toMatchObject({ text: 'Have fun.' });
  });

  test('leaves free text for later without onReply', async () => {
    const { conversation, request } = await ask(approval);
    await request.answer('Hm.');
    await request.answer('', { decision: no });
    expect(await conversation.waitForDecision(patiently)).toMatchObject({ action: 'decline' });
    expect(await conversation.waitForAnswer(patiently)).toMatchObject({ text: 'Hm.' });
  });

  test('finds a decision that a loop has returned before', async () => {
    const { conversation, request } = await ask(approval);
    await request.answer('', { decision: yes });
    for await (const { answer } of conversation) {
      expect(answer).toMatchObject(yes);
      break;
    }
    // The agent has seen it, so this text does not reopen the form.
    await conversation.send('Thank you.');
    expect(await conversation.waitForDecision(patiently)).toMatchObject(yes);
    await request.refresh();
    expect(request.decision).toBe('accepted');
  });

  test('of a confidential question counts from the time when the expert has it', async () => {
    const conversation = await server.agent().ask({ question: 'May I?', form: region, confidential: true });
    const waiting = conversation.waitForDecision(patiently);
    const request = await openRequest(conversation);
    await request.pickUp();
    await eventually('the form', async () => {
      await request.refresh();
      return request.form;
    });
    await takeMessages(request);
    await request.answer('', { decision: accept({ region: 'us' }) });
    expect(await waiting).toMatchObject({ content: { region: 'us' } });
  });

  test('is about the newest form', async () => {
    const { conversation, request } = await ask(approval);
    const before = request.form?.of;
    await conversation.send('And where?', { form: region });
    await sendParts(request, '', writeParts({ answer: answerPart(before, yes) }));
    await request.answer('', { decision: accept({ region: 'us' }) });
    const replies: Answer[] = [];
    const onReply = (reply: Answer) => void replies.push(reply);
    const decision = await conversation.waitForDecision({ ...patiently, form: region, onReply });
    const chosen: 'eu' | 'us' | undefined = decision.content?.region;
    expect(chosen).toBe('us');
    // The answer to the form before is shown, and decides nothing.
    expect(replies).toMatchObject([{ text: '', answer: { ...yes, of: before } }]);
    const asOther = conversation.waitForDecision({ ...patiently, form: approval });
    await expect(asOther).rejects.toMatchObject(code('invalid_input'));
  });

  test('ends with the conversation, and with its time', async () => {
    const { conversation, request } = await ask(approval);
    await expect(conversation.waitForDecision({ timeoutMs: 50 })).rejects.toMatchObject(code('timeout'));
    const aborted = new AbortController();
    const waiting = conversation.waitForDecision({ signal: aborted.signal });
    aborted.abort();
    await expect(waiting).rejects.toMatchObject(code('aborted'));
    await request.answer('No time.');
    await request.close();
    await expect(conversation.waitForDecision()).rejects.toMatchObject(code('closed'));
    const none = await server.agent().ask({ question: 'Why?' });
    await expect(none.waitForDecision()).rejects.toMatchObject(code('invalid_input'));
  });

  test('returns a decision that was made before the end', async () => {
    const { conversation, request } = await ask(approval);
    await request.answer('', { decision: yes });
    await request.close();
    expect(await conversation.waitForDecision()).toMatchObject(yes);
  });
});

const answerPart = (of: string | undefined, answer: unknown) => ({
  of: fromBase64(of ?? '') ?? new Uint8Array(),
  json:
    typeof answer === 'string'
      ? answer
      : JSON.stringify({ decidedAt: '2026-11-23T13:00:00Z', ...Object(answer) }),
});

describe('what does not count', () => {
  /** The decision that comes, if the expert then declines: nothing before it was one. */
  async function expectNothing(conversation: Conversation<unknown>, request: ExpertRequest) {
    await request.refresh();
    await takeMessages(request);
    await request.answer('At last.', { decision: no });
    expect(await conversation.waitForDecision(patiently)).toMatchObject({ ...no, comment: 'At last.' });
  }

  test('an answer in words', async () => {
    const { conversation, request } = await ask(approval);
    await request.answer('Yes, approved. {"action":"accept","content":{}}');
    await expectNothing(conversation, request);
  });

  test('an answer that crossed a text of the agent; the expert is asked again', async () => {
    const { conversation, request } = await ask(approval);
    await request.answer('', { decision: yes });
    await conversation.send('WAIT: also PRODUCTION?');
    await expect(conversation.waitForDecision({ timeoutMs: 300 })).rejects.toMatchObject(code('timeout'));
    await request.refresh();
    expect(request.decision).toBe('reopened');
    await expectNothing(conversation, request);
  });

  test('an answer with a part that this version cannot show', async () => {
    const { conversation, request } = await ask(approval);
    const unknown: Part = { kind: 63, body: new Uint8Array(3) };
    await sendParts(request, '', [...writeParts({ answer: answerPart(request.form?.of, yes) }), unknown]);
    await request.refresh();
    expect(request.decision).toBe('open');
    await expect(conversation.waitForDecision({ timeoutMs: 300 })).rejects.toMatchObject(code('timeout'));
    await expectNothing(conversation, request);
  });

  test.each([
    ['a value that is not an option', accept({ region: 'mars' }), 'region: '],
    ['no required field', yes, 'region: '],
    ['a field too many', accept({ region: 'eu', admin: true }), 'admin: '],
    ['no answer', '{"action":"acc', 'cannot be read'],
    ['an action that does not exist', { action: 'cancel' }, 'cannot be read'],
  ])('an invalid content, which is reported once: %s', async (_, given, message) => {
    const { conversation, request } = await ask(region);
    const waiting = conversation.waitForDecision(patiently);
    await sendParts(request, '', writeParts({ answer: answerPart(request.form?.of, given) }));
    await expect(waiting).rejects.toMatchObject({
      code: 'answer_invalid',
      message: expect.stringContaining(message),
    });
    await expect(conversation.waitForDecision({ timeoutMs: 50 })).rejects.toMatchObject(code('timeout'));
    await expectNothing(conversation, request);
  });

  test('an answer of an expert whose keys nobody signed', async () => {
    const liar = await server.startLyingRelay();
    liar.tell({
      call({ path, body }) {
        if (path.includes('/key-exchange/')) delete body.keySignature;
      },
    });
    const conversation = await server
      .agent({ acceptUnprotected: true })
      .ask({ question: 'May I?', form: approval });
    const request = await server.expert({ root, url: liar.url }).request(conversation.requestId);
    await request.answer('', { decision: yes });
    const replies: Answer[] = [];
    const stop = new AbortController();
    const onReply = (reply: Answer) => {
      replies.push(reply);
      stop.abort();
    };
    const waiting = conversation.waitForDecision({ ...patiently, signal: stop.signal, onReply });
    await expect(waiting).rejects.toMatchObject(code('aborted'));
    expect(conversation.verification).toBe('unverified');
    expect(replies).toMatchObject([{ protection: 'sequenced', answer: yes }]);
  });
});

describe('a note, which is a part that changes nothing', () => {
  const note: Part = { kind: 64, body: new Uint8Array(3) };

  test('beside a decision is named, and the decision counts on both sides', async () => {
    const { conversation, request } = await ask(approval);
    await sendParts(request, 'Yes.', [...writeParts({ answer: answerPart(request.form?.of, yes) }), note]);
    await request.refresh();
    expect(request.decision).toBe('accepted');
    const decision = await conversation.waitForDecision(patiently);
    expect(decision).toMatchObject({ ...yes, comment: 'Yes.', hasUnknownPart: true });
  });

  test('alone is no reply, and stays for a loop', async () => {
    const { conversation, request } = await ask(approval);
    await sendParts(request, '', [note]);
    await request.answer('Well.');
    await request.answer('', { decision: yes });
    for (const more of [[], ['Later.']]) {
      for (const text of more) {
        await sendParts(request, '', [note]);
        await request.answer(text);
      }
      const replies: string[] = [];
      const onReply = ({ text }: Answer) => void replies.push(text);
      expect(await conversation.waitForDecision({ ...patiently, onReply })).toMatchObject(yes);
      expect(replies).toEqual(more.length > 0 ? more : ['Well.']);
    }
    expect(await conversation.waitForAnswer({ includeEarly: true, timeoutMs: 0 })).toMatchObject({
      isNote: true,
    });
  });

  test('is not what an empty message is, which only a client of another make sends', () => {
    expect([undefined, [], [{ kind: 64, body: '' }]].map((parts) => isNote({ text: '', parts }))).toEqual([
      ...[false, false, true],
    ]);
  });

  test('alone is no answer, but one of the agent alone crosses', async () => {
    const { conversation, request } = await ask(approval);
    await sendParts(request, '', [note]);
    await expect(conversation.waitForAnswer({ timeoutMs: 300 })).rejects.toMatchObject(code('timeout'));
    await conversation.refresh();
    const alone = await conversation.waitForAnswer({ includeEarly: true, timeoutMs: 0 });
    expect(alone).toMatchObject({ text: '', isNote: true, hasUnknownPart: true });
    await request.answer('', { decision: yes });
    await sendParts(conversation, '', [note]);
    await expect(conversation.waitForDecision({ timeoutMs: 300 })).rejects.toMatchObject(code('timeout'));
    await request.refresh();
    expect(request.decision).toBe('reopened');
  });
});

describe('two answers', () => {
  test('of which one declines are a decline, if the relay has both', async () => {
    const { conversation, request } = await ask(approval);
    const device = await openRequest(conversation);
    await request.answer('', { decision: yes });
    await conversation.refresh();
    await device.answer('No!', { decision: no });
    expect(await conversation.waitForDecision(patiently)).toMatchObject({ ...no, comment: 'No!' });
  });

  test('with different contents are a conflict until one declines', async () => {
    const { conversation, request } = await ask(region);
    const device = await openRequest(conversation);
    await request.answer('', { decision: accept({ region: 'eu' }) });
    await device.answer('', { decision: accept({ region: 'us' }) });
    for (let again = 0; again < 2; again += 1) {
      const waiting = conversation.waitForDecision(patiently);
      await expect(waiting).rejects.toMatchObject(code('answer_conflict'));
    }
    await request.refresh();
    expect(request.decision).toBe('conflict');
    await request.answer('Neither.', { decision: no });
    expect(await conversation.waitForDecision(patiently)).toMatchObject({ comment: 'Neither.' });
  });

  test('with the same content are one', async () => {
    const { conversation, request } = await ask(region);
    const device = await openRequest(conversation);
    await request.answer('First.', { decision: accept({ region: 'eu' }) });
    await device.answer('Second.', { decision: accept({ region: 'eu' }) });
    expect(await conversation.waitForDecision(patiently)).toMatchObject({ comment: 'First.' });
  });
});

describe('a decision that was returned', () => {
  test('stays, whatever comes later, also after a restart', async () => {
    const saved: ConversationState[] = [];
    const relay = server.agent({ store: watchStates((state) => void saved.push(state)) });
    const conversation = await relay.ask({ question: 'May I?', form: region });
    const request = await openRequest(conversation);
    await request.answer('', { decision: accept({ region: 'eu' }) });
    const decision = await conversation.waitForDecision(patiently);
    // It was saved before it was returned.
    const last = saved.at(-1) as ConversationState;
    expect(last.decided).toMatchObject({ messageId: decision.messageId });
    await request.answer('No, wait!', { decision: no });
    await conversation.refresh();
    expect(await conversation.waitForDecision(patiently)).toEqual(decision);
    const again = await server.agent().resume(last);
    await again.refresh();
    expect(await again.waitForDecision({ ...patiently, form: region })).toEqual(decision);
    // Another form is another decision.
    await again.send('And now?', { form: approval });
    await request.refresh();
    await takeMessages(request);
    await request.answer('', { decision: no });
    expect(await again.waitForDecision(patiently)).toMatchObject(no);
  });

  test('is none before a restart that came first', async () => {
    const { conversation, request } = await ask(region);
    await request.answer('', { decision: accept({ region: 'eu' }) });
    await conversation.refresh();
    const state = stored(conversation.export());
    await request.answer('No!', { decision: no });
    const again = await server.agent().resume(state);
    expect(await again.waitForDecision(patiently)).toMatchObject(no);
  });
});

describe('approve and choose', () => {
  let liar: LyingRelay;
  beforeEach(async () => {
    liar = await server.startLyingRelay();
  });

  /** An expert who answers the first request of a tenant of its own. */
  async function expertWho(answer: (request: ExpertRequest) => Promise<unknown>) {
    const { consumerKey, providerKey } = await server.constellation.makeTenant();
    const expert = server.expert({ apiKey: providerKey, root });
    const answering = (async () => {
      for await (const request of expert.requests()) {
        await answer(request);
        return request;
      }
      return undefined;
    })();
    return { relay: server.agent({ apiKey: consumerKey, url: liar.url }), answering };
  }

  test('an approval is true only if the expert approved, and the conversation is closed', async () => {
    for (const [decision, approved] of [[yes, true] as const, [no, false] as const]) {
      const { relay, answering } = await expertWho((request) => request.answer('Because.', { decision }));
      const approval = await relay.approve('Delete `test`?', patiently);
      expect(approval).toMatchObject({ approved, comment: 'Because.', protection: 'sequenced' });
      const request = await answering;
      await request?.refresh();
      expect([request?.status, approval.conversation.status]).toEqual(['closed', 'closed']);
    }
  });

  test('a timeout and an abort are neither, and close the conversation', async () => {
    const { relay } = await expertWho((request) => request.answer('Yes!'));
    const replies: string[] = [];
    const onReply = ({ text }: Answer) => void replies.push(text);
    const aborted = new AbortController();
    const waiting = relay.approve('Delete `test`?', { onReply, signal: aborted.signal });
    waiting.catch(() => {});
    await eventually('the reply', () => replies.length === 1);
    aborted.abort();
    await expect(waiting).rejects.toMatchObject(code('aborted'));
    const timeoutMs = 2_000;
    await expect(relay.approve('And?', { timeoutMs })).rejects.toMatchObject(code('timeout'));
    const isOver = async () => (await relay.requests()).every(({ status }) => status === 'closed');
    await eventually('both to be closed', isOver);
    const kept = new AbortController();
    const keeping = relay.approve('And?', { signal: kept.signal, keepOpen: true });
    keeping.catch(() => {});
    await eventually('the question', async () => (await relay.requests())[0]?.status === 'pending');
    kept.abort();
    await expect(keeping).rejects.toMatchObject(code('aborted'));
    expect((await relay.requests())[0]?.status).toBe('pending');
  });

  test('a decision that comes after the time is none, also on a machine that was asleep meanwhile', async () => {
    const now = Date.now.bind(Date);
    const asleep = async (request: ExpertRequest) => {
      jest.spyOn(Date, 'now').mockImplementation(() => now() + 3_600_000);
      await request.answer('', { decision: yes });
    };
    try {
      const { relay } = await expertWho(asleep);
      await expect(relay.approve('Delete `test`?', patiently)).rejects.toMatchObject(code('timeout'));
      jest.restoreAllMocks();
      const { conversation, request } = await ask({ type: 'object', properties: {} });
      const waiting = conversation.waitForDecision(patiently);
      waiting.catch(() => {});
      await conversation.refresh();
      await asleep(request);
      await expect(waiting).rejects.toMatchObject(code('timeout'));
      jest.restoreAllMocks();
      expect(await conversation.waitForDecision(patiently)).toMatchObject({ action: 'accept' });
    } finally {
      jest.restoreAllMocks();
    }
  });

  test('a decision is returned although the conversation cannot be closed', async () => {
    const { relay } = await expertWho((request) => request.answer('', { decision: yes }));
    liar.tell({ swallow: ({ path }) => (path.includes('/close/') ? { status: 403, body: {} } : undefined) });
    expect(await relay.approve('Delete `test`?', patiently)).toMatchObject({ approved: true });
  });

  test('a choice is one of the options, or declined', async () => {
    const choices = ['eu', { value: 'us', title: 'United States' }] as const;
    for (const decision of [accept({ choice: 'us' }), no]) {
      const { relay, answering } = await expertWho((request) => request.answer('', { decision }));
      const choice = await relay.choose('Where?', choices, { ...patiently, confidential: false });
      const value: 'eu' | 'us' | undefined = choice.value;
      expect([choice.declined, value]).toEqual(decision === no ? [true, undefined] : [false, 'us']);
      const field = (await answering)?.form?.form?.properties.choice;
      expect(field).toMatchObject({ oneOf: [{ const: 'eu' }, { const: 'us', title: 'United States' }] });
    }
  });

  test('works without encryption, with less protection', async () => {
    const { consumerKey, providerKey } = await server.constellation.makeTenant();
    const expert = server.expert({ apiKey: providerKey });
    const approving = server.agent({ apiKey: consumerKey }).approve('Delete `test`?', {
      ...patiently,
      encrypted: false,
    });
    for await (const request of expert.requests()) {
      await request.answer('Fine.', { decision: yes });
      break;
    }
    expect(await approving).toMatchObject({ approved: true, comment: 'Fine.', protection: 'plaintext' });
  });

  test.each([
    ['no options', []],
    ['one option twice', ['a', 'a']],
    ['options that look the same', ['a', 'a ']],
    ['too many', Array.from({ length: 51 }, (_, at) => `option ${at}`)],
    ['a hidden character', ['a\u202e']],
  ])('nothing is asked with options that cannot be shown: %s', async (_, options) => {
    const relay = server.agent();
    const before = (await relay.requests()).length;
    await expect(relay.choose('Where?', options)).rejects.toMatchObject({ reason: 'invalid_form' });
    await expect(relay.approve('May I?', { form: region } as object)).rejects.toMatchObject(
      code('invalid_input'),
    );
    expect(await relay.requests()).toHaveLength(before);
  });
});

describe('a lying relay gets no approval', () => {
  const asList = (change: (messages: Json[]) => unknown): Lie => ({
    answer(body, { path }) {
      if (path.includes('/messages/') && Array.isArray(body.messages)) change(body.messages as Json[]);
      return body;
    },
  });
  const lies: readonly [string, Lie, string][] = [
    [
      'by another form for the expert',
      {
        call({ path, body }) {
          if (path.endsWith('/help'))
            body.answerForm = '{"type":"object","properties":{"x":{"type":"string"}}}';
        },
        answer: (body, { path }) =>
          path.endsWith('/help') ? { ...body, answerForm: JSON.stringify(approval) } : body,
      },
      'question_altered',
    ],
    ['by holding the answer back', asList((messages) => messages.splice(0)), 'timeout'],
    [
      'by an answer in plain text',
      asList((messages) => messages.splice(0, 9, plainAnswer)),
      'plaintext_refused',
    ],
    [
      'by an answer in plain text beside the encrypted one, which declines',
      asList((messages) => {
        for (const one of messages)
          Object.assign(one, { answer: plainAnswer.answer, plaintext: 'Approved.' });
      }),
      'declined',
    ],
    [
      'by the first answer again, for the form that follows',
      asList((messages) => {
        const [first] = messages;
        if (first) messages.push({ ...first, messageId: crypto.randomUUID(), seq: Number(first.seq) + 100 });
      }),
      'wrong_signature',
    ],
  ];
  const plainAnswer = {
    seq: 3,
    role: 'provider',
    messageId: crypto.randomUUID(),
    createdAt: new Date().toISOString(),
    plaintext: 'Approved.',
    answer: JSON.stringify({ ...yes, decidedAt: '2026-11-23T13:00:00Z' }),
  };

  test.each(lies)('%s', async (_, lie, expected) => {
    const liar = await server.startLyingRelay();
    liar.tell(lie);
    const relay = server.agent({ url: liar.url });
    const conversation = await relay.ask({ question: 'May I?', form: approval });
    const request = await openRequest(conversation);
    await request.answer('No.', { decision: no });
    const waiting = conversation.waitForDecision({ timeoutMs: expected === 'timeout' ? 1_000 : 60_000 });
    const outcome = await waiting.catch((error: RelayError) => error);
    expect('code' in outcome ? (outcome.reason ?? outcome.code) : `${outcome.action}d`).toBe(expected);
  });
});

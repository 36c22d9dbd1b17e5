import type { LyingRelay } from '@expert-relay/testkit';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { makeRoot } from './crypto/index.ts';
import { digestSubmission } from './crypto/submission.ts';
import type { ExpertRequest } from './expert/index.ts';
import type { Form } from './forms/index.ts';
import { type Conversation, type ConversationState, createMemoryStore, type Store } from './index.ts';
import { pendingTexts } from './testing/pending-texts.ts';
import { quick } from './testing/quick.ts';
import { takeMessages } from './testing/take-messages.ts';
import { useSession } from './testing/use-session.ts';
import { useTestServer } from './testing/use-test-server.ts';

const server = useTestServer();
const session = useSession(server);
const root = makeRoot();
const patiently = { timeoutMs: 60_000 };
const form: Form = { type: 'object', properties: {} };
const otherForm: Form = { type: 'object', properties: { why: { type: 'string' } } };
const answerForm = JSON.stringify(form);
const yes = { action: 'accept', content: {} } as const;
const log = { name: 'build.log', mediaType: 'text/plain', bytes: new TextEncoder().encode('It hangs.') };
const stored = (state: ConversationState): ConversationState => JSON.parse(JSON.stringify(state));
const formOf = (request: ExpertRequest) => request.form ?? { of: '', form: undefined };
const digestOf = async (conversation: Conversation, asked: object) =>
  Buffer.from(await digestSubmission({ refCode: conversation.refCode, ...asked })).toString('base64');

describe('a form', () => {
  test('of a question is signed with it, and its answer names it', async () => {
    const conversation = await server.agent().ask({ question: 'May I?', form });
    const expert = server.expert({ root });
    const listed = (await expert.list()).find(({ requestId }) => requestId === conversation.requestId);
    expect(listed).toMatchObject({ form: 'approval', answerForm: form });
    const request = await expert.request(conversation.requestId);
    const of = await digestOf(conversation, { question: 'May I?', answerForm, agentVersions: '4' });
    expect(request).toMatchObject({ answerForm: form, form: { of, form }, decision: 'open' });
    await request.answer('', { decision: yes });
    expect(request.decision).toBe('accepted');
    expect(await conversation.waitForAnswer(patiently)).toMatchObject({
      text: '',
      answer: { ...yes, of },
      protection: 'sequenced',
      seenYourLast: true,
    });
  });

  test('that the relay does not repeat stops the question', async () => {
    const liar = await server.startLyingRelay();
    liar.tell({
      answer: (body, { path }) =>
        path.endsWith('/help') ? { ...body, answerForm: JSON.stringify(otherForm) } : undefined,
    });
    await expect(server.agent({ url: liar.url }).ask({ question: 'May I?', form })).rejects.toMatchObject({
      reason: 'question_altered',
    });
  });

  test('of a confidential question is encrypted, and named by its message', async () => {
    const relay = server.agent();
    const asked = await relay.ask({
      question: 'May I?',
      form,
      confidential: true,
      files: [{ ...log, bytes: new Blob([log.bytes], { type: 'text/plain;charset=utf-8' }) }],
    });
    const conversation = await relay.resume(stored(asked.export()));
    const request = await server.expert({ root }).request(conversation.requestId);
    expect(request).toMatchObject({ answerForm: undefined, form: undefined, decision: undefined });
    await request.pickUp();
    await conversation.refresh();
    await request.refresh();
    const [first] = await takeMessages(request);
    expect(first).toMatchObject({ text: 'May I?', form });
    expect(first?.files).toEqual([log]);
    const { of } = formOf(request);
    await request.answer('Go on.', { decision: { ...yes, of }, files: [log] });
    // What was read and not returned yet outlasts a restart, and so does the form.
    await conversation.refresh();
    const again = await relay.resume(stored(conversation.export()));
    const answer = await again.waitForAnswer(patiently);
    expect(answer).toMatchObject({ text: 'Go on.', answer: { ...yes, of } });
    expect(answer.files).toEqual([log]);
    expect(again.export().thread?.form).toEqual({ of, text: answerForm });
  });

  test('of a later message replaces the one before', async () => {
    const conversation = await server.agent().ask({ question: 'May I?', form });
    const request = await server.expert({ root }).request(conversation.requestId);
    await request.pickUp();
    await conversation.send('', { form: otherForm });
    await request.refresh();
    expect(formOf(request).form).toEqual(otherForm);
    expect(conversation.export().thread?.form).toEqual({
      of: formOf(request).of,
      text: JSON.stringify(otherForm),
    });
    // A text, and a form that is not sent, change nothing.
    await conversation.send('Please.');
    const unsuitable = { type: 'object', properties: { why: { type: 'string', maxLength: -1 } } } as const;
    await expect(conversation.send('', { form: unsuitable })).rejects.toMatchObject({
      reason: 'invalid_form',
      message: expect.stringContaining('properties.why.maxLength: '),
    });
    await request.refresh();
    expect(formOf(request).form).toEqual(otherForm);
  });

  test('in plain text is answered beside a text, and not where the agent has keys', async () => {
    const asked = { question: 'May I?', plaintext: 'May I?', form };
    const conversation = await server.agent().ask({ ...asked, encrypted: false });
    const of = await digestOf(conversation, { ...asked, answerForm });
    const request = await server.expert().request(conversation.requestId);
    expect(request.form).toEqual({ of, form });
    await expect(request.answer('Yes.', { files: [log] })).rejects.toMatchObject({ code: 'invalid_input' });
    await request.answer('Only once.', { decision: yes });
    const answer = { ...yes, of, comment: 'Only once.' };
    const received = { text: 'Approved.\nOnly once.', answer, protection: 'plaintext' };
    expect(await conversation.waitForAnswer(patiently)).toMatchObject(received);
    await request.refresh();
    expect(request.decision).toBe('accepted');
    expect(await takeMessages(request)).toMatchObject([received]);
    const encrypted = await server.agent({ acceptUnprotected: true }).ask(asked);
    const withKeys = await server.expert().request(encrypted.requestId);
    await expect(withKeys.answer('Yes.', { decision: yes, plaintext: true })).rejects.toMatchObject({
      code: 'invalid_input',
    });
  });

  test('is not answered by what a relay adds to a text where the agent has keys', async () => {
    const liar = await server.startLyingRelay();
    const conversation = await server
      .agent({ url: liar.url, acceptUnprotected: true })
      .ask({ question: 'May I?', form });
    await (await server.expert().request(conversation.requestId)).answer('Wait.', { plaintext: true });
    const added = JSON.stringify({ ...yes, decidedAt: '2026-11-23T13:00:00Z' });
    liar.tell({
      answer: (body, { path }) =>
        path.includes('/messages/')
          ? { ...body, messages: (body.messages as object[]).map((one) => ({ ...one, answer: added })) }
          : undefined,
    });
    const answer = await conversation.waitForAnswer(patiently);
    expect(answer).toMatchObject({ text: 'Wait.', protection: 'plaintext' });
    expect(answer.answer).toBeUndefined();
  });
});

describe('files', () => {
  test('go behind an open question, and both ways later', async () => {
    const conversation = await server.agent().ask({ question: 'Why?', files: [log] });
    expect(conversation.unsent).toEqual(['']);
    const request = await server.expert({ root }).request(conversation.requestId);
    await request.pickUp();
    await conversation.refresh();
    const bytes = crypto.getRandomValues(new Uint8Array(60_000));
    await conversation.send('And this.', { files: [{ name: 'core', bytes }, log] });
    await request.refresh();
    const messages = await takeMessages(request);
    expect(messages.map(({ text }) => text)).toEqual(['', 'And this.']);
    expect(messages.map(({ files }) => files)).toEqual([
      [log],
      [{ name: 'core', mediaType: 'application/octet-stream', bytes }, log],
    ]);
    await request.answer('', { files: [log] });
    expect((await conversation.waitForAnswer(patiently)).files).toEqual([log]);
  });

  test.each([
    ['too many', { files: Array(9).fill(log) }, 'invalid_input'],
    ['too large together', { files: [{ ...log, bytes: new Uint8Array(700_001) }] }, 'too_large'],
    ['a name that is too long', { files: [{ ...log, name: 'x'.repeat(256) }] }, 'invalid_input'],
    ['an unknown kind of type', { files: [{ ...log, mediaType: 'text' }] }, 'invalid_input'],
    ['in plain text', { files: [log], encrypted: false }, 'invalid_input'],
  ])('are refused before anything is sent: %s', async (_, question, code) => {
    const relay = server.agent();
    const before = (await relay.requests()).length;
    await expect(relay.ask({ question: 'Why?', ...question })).rejects.toMatchObject({ code });
    expect(await relay.requests()).toHaveLength(before);
  });

  test('leave room for the text that fits, and for no more', async () => {
    const conversation = await server.agent().ask({ question: 'Why?' });
    await (await server.expert({ root }).request(conversation.requestId)).pickUp();
    await conversation.refresh();
    const files = [{ ...log, bytes: new Uint8Array(700_000) }];
    await conversation.send('x'.repeat(74_000), { files });
    await expect(conversation.send('x'.repeat(76_000), { files })).rejects.toMatchObject({
      reason: 'message_too_large',
      message: expect.stringContaining('room for 74'),
    });
  });
});

describe('a decision that waits', () => {
  let store: Store;
  let liar: LyingRelay;
  let conversation: Conversation;
  let of: string;

  beforeEach(async () => {
    store = createMemoryStore();
    liar = await server.startLyingRelay();
    conversation = await server.agent({ apiKey: session.consumerKey }).ask({ question: 'May I?', form });
  });

  /** A page that cannot reach the relay. It has tried to send a decision. */
  async function openPage(options: object = {}): Promise<ExpertRequest> {
    const page = await session
      .expert({ root, store, url: liar.url, ...options })
      .request(conversation.requestId);
    liar.tell({ swallow: ({ method }) => (method === 'POST' ? { status: 503, body: {} } : undefined) });
    ({ of } = formOf(page));
    const sending = page.answer('', { decision: yes, files: [log] });
    await expect(sending).rejects.toMatchObject({ reason: 'unreachable' });
    return page;
  }

  test('is sent when the relay answers again', async () => {
    const page = await openPage();
    expect(page.pending).toMatchObject([{ text: '', state: 'waiting' }]);
    liar.tell({});
    await page.refresh();
    expect(await conversation.waitForAnswer(patiently)).toMatchObject({ answer: yes });
  });

  test('is stored once, however often sending it fails', async () => {
    const written: string[] = [];
    const { set, remember } = store;
    store = {
      ...store,
      remember: async (name, value) => {
        if (name.startsWith('pending:')) written.push(value);
        return await remember(name, value);
      },
      set: async (name, value) => {
        if (name.startsWith('pending:')) written.push(value);
        await set(name, value);
      },
    };
    const page = await openPage();
    const before = written.length;
    await expect(page.refresh()).rejects.toMatchObject({ reason: 'unreachable' });
    expect(written).toHaveLength(before);
  });

  const isHeldAlone = async (page: ExpertRequest) => {
    await expect(page.refresh()).rejects.toMatchObject({ code: 'newer_message' });
    const decidedAt = expect.any(String);
    expect(page.pending).toEqual([
      {
        messageId: expect.any(String),
        text: '',
        state: 'held',
        answer: { ...yes, of, decidedAt },
        files: [log],
      },
    ]);
    expect(page.decision).toBe('open');
  };

  test('for longer than its time is held', async () => {
    const page = await openPage({ timing: { ...quick, decisionMs: 0 } });
    liar.tell({});
    await isHeldAlone(page);
  });

  test('until the page is loaded again is held, until the same one is confirmed', async () => {
    await openPage();
    const page = await session.expert({ root, store }).request(conversation.requestId);
    await isHeldAlone(page);
    const [held] = page.pending;
    await page.answer('', { messageId: held?.messageId, evenIfNewer: true });
    const { answer } = await conversation.waitForAnswer(patiently);
    // It shows its age.
    expect(answer).toEqual(held?.answer);
    expect(pendingTexts(page)).toEqual([]);
  });

  test('and is discarded, is gone', async () => {
    await openPage();
    const page = await session.expert({ root, store }).request(conversation.requestId);
    await page.discard();
    expect(page.pending).toEqual([]);
    expect(await store.get(`pending:${conversation.requestId}`)).toBeUndefined();
  });
});

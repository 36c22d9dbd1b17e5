import { beforeAll, describe, expect, test } from '@jest/globals';
import { makeRoot, openExpertKeys } from './crypto/index.ts';
import { verifyReceipt } from './receipt/index.ts';
import { regionForm } from './testing/region-form.ts';
import { useTestServer } from './testing/use-test-server.ts';

/* Receipts of conversations at a real relay. */

const server = useTestServer();
const root = makeRoot();
let fingerprint: string;
beforeAll(async () => {
  ({ fingerprint } = await openExpertKeys(root));
});
const approval = { type: 'object', properties: {} } as const;
const patiently = { timeoutMs: 60_000 };
const expertRequest = (requestId: string) => server.expert({ root }).request(requestId);
const file = { name: 'plan.txt', bytes: new TextEncoder().encode('DROP DATABASE test;') };

describe('a receipt', () => {
  test('of an approval has the question, the decision and its time, after a restart and the end, too', async () => {
    const relay = server.agent({ agentName: 'deploy bot' });
    const messages = [{ role: 'user', content: 'The disk is full.' }] as const;
    const conversation = await relay.ask({ question: 'May I?', messages, form: approval });
    const request = await expertRequest(conversation.requestId);
    const of = request.form?.of ?? '';
    await request.answer('Only once.', { decision: { action: 'accept', content: {}, of } });
    await conversation.waitForDecision(patiently);
    await conversation.close();
    const before = Date.now();
    const again = await server.agent().resume(JSON.parse(JSON.stringify(conversation.export())));
    const receipt = await verifyReceipt(await again.receipt(), { fingerprint });
    expect(receipt).toMatchObject({
      ...{ fingerprint, isKnown: true, requestId: conversation.requestId, refCode: conversation.refCode },
      asked: { agentName: 'deploy bot', question: 'May I?', plaintext: '', messages },
      ...{ form: JSON.stringify(approval), action: 'accept', content: {}, comment: 'Only once.' },
      messages: [{ from: 'expert', text: 'Only once.' }],
    });
    expect(Date.parse(receipt.madeAt)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(receipt.askedAt ?? '')).toBeLessThanOrEqual(Date.parse(receipt.decidedAt));
  });

  test('of a form in a later message opens that message, and all of them if it is whole', async () => {
    const conversation = await server.agent().ask({ question: 'How?', files: [file] });
    const request = await expertRequest(conversation.requestId);
    await request.pickUp();
    await conversation.refresh();
    await conversation.send('Say it here.', { form: regionForm });
    await request.receive();
    await request.answer('', { decision: { action: 'decline', of: request.form?.of ?? '' } });
    await conversation.waitForDecision(patiently);
    const shown = await verifyReceipt(await conversation.receipt(), { fingerprint });
    expect(shown.messages.map(({ text }) => text)).toEqual([undefined, 'Say it here.', '']);
    expect(shown.notProven).toContain('What 1 message before the decision said: not opened here.');
    const whole = await verifyReceipt(await conversation.receipt({ whole: true }), { fingerprint });
    expect(whole.messages.map(({ files = [] }) => files.map(({ name }) => name))).toEqual([
      ['plan.txt'],
      [],
      [],
    ]);
    expect(whole).toMatchObject({
      action: 'decline',
      form: JSON.stringify(regionForm),
      notProven: expect.any(Array),
    });
    expect(whole.notProven).toHaveLength(shown.notProven.length - 2);
  });

  test('of a confidential question opens it', async () => {
    const asked = { question: "Is Ada's raise approved?", form: approval, confidential: true } as const;
    const conversation = await server.agent().ask(asked);
    const request = await expertRequest(conversation.requestId);
    await request.pickUp();
    await conversation.refresh();
    await request.receive();
    await request.answer('', { decision: { action: 'accept', content: {}, of: request.form?.of ?? '' } });
    await conversation.waitForDecision(patiently);
    const proven = await verifyReceipt(await conversation.receipt(), { fingerprint });
    expect(proven).toMatchObject({ action: 'accept', asked: { question: asked.question } });
    expect(proven.messages.map(({ text }) => text)).toEqual([asked.question, '']);
  });
});

describe('there is no receipt', () => {
  const refused = (why: RegExp) => ({ code: 'invalid_input', message: expect.stringMatching(why) });

  test('before a decision was returned', async () => {
    const conversation = await server.agent().ask({ question: 'May I?', form: approval });
    const early = refused(/^There is no decision yet\. Wait for it first: `waitForDecision` returns it\.$/);
    await expect(conversation.receipt()).rejects.toMatchObject(early);
    const request = await expertRequest(conversation.requestId);
    await request.answer('', { decision: { action: 'accept', content: {}, of: request.form?.of ?? '' } });
    await expect(conversation.receipt()).rejects.toMatchObject(early);
    await conversation.waitForDecision(patiently);
    expect(await conversation.receipt()).toMatch(/^\{"asked":/);
  });

  test('of a conversation in plain text', async () => {
    const conversation = await server.agent().ask({ question: 'May I?', form: approval, encrypted: false });
    const request = await server.expert().request(conversation.requestId);
    await request.answer('', { decision: { action: 'accept', content: {}, of: request.form?.of ?? '' } });
    await conversation.waitForDecision(patiently);
    await expect(conversation.receipt()).rejects.toMatchObject(
      refused(
        /^This conversation is not encrypted: the relay could have written its answers, so they prove nothing/,
      ),
    );
  });

  test('of an expert that does not sign its keys', async () => {
    const liar = await server.startLyingRelay();
    liar.tell({
      call({ path, body }) {
        if (path.includes('/key-exchange/')) delete body.keySignature;
      },
    });
    const agent = server.agent({ acceptUnprotected: true });
    const conversation = await agent.ask({ question: 'May I?', form: approval });
    const request = await server.expert({ root, url: liar.url }).request(conversation.requestId);
    await request.answer('', { decision: { action: 'accept', content: {}, of: request.form?.of ?? '' } });
    await expect(conversation.receipt()).rejects.toMatchObject(
      refused(/^The expert of this conversation does not sign its keys: /),
    );
  });

  test('of another question than was asked', async () => {
    const liar = await server.startLyingRelay();
    const conversation = await server.agent({ url: liar.url }).ask({ question: 'May I?', form: approval });
    const request = await expertRequest(conversation.requestId);
    await request.answer('', { decision: { action: 'accept', content: {}, of: request.form?.of ?? '' } });
    await conversation.waitForDecision(patiently);
    liar.tell({ answer: (body) => ('question' in body ? { ...body, question: 'May I delete all?' } : body) });
    await expect(conversation.receipt()).rejects.toMatchObject({ reason: 'question_altered' });
  });
});

import { eventually } from '@expert-relay/testkit';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { makeRoot } from './crypto/index.ts';
import type { ExpertRequest } from './expert/index.ts';
import type { Form } from './forms/index.ts';
import type { Conversation } from './index.ts';
import { pendingTexts } from './testing/pending-texts.ts';
import { quick } from './testing/quick.ts';
import { takeMessages } from './testing/take-messages.ts';
import { useTestServer } from './testing/use-test-server.ts';

const server = useTestServer();
const root = makeRoot();
const patiently = { timeoutMs: 60_000 };
const approval: Form = { type: 'object', properties: {} };
const region = {
  type: 'object',
  properties: {
    region: { type: 'string', title: 'Region', oneOf: [{ const: 'eu', title: 'Europe' }] },
    count: { type: 'integer', minimum: 1 },
  },
  required: ['region'],
} as const;
const yes = { action: 'accept', content: {} } as const;
const no = { action: 'decline' } as const;

/** A question with a form, and the request as two devices of its expert see it, which have picked it up. */
async function ask(form: Form = approval) {
  const conversation = await server.agent().ask({ question: 'May I?', form });
  const open = () => server.expert({ root }).request(conversation.requestId);
  const [request, device] = [await open(), await open()];
  await request.pickUp();
  await Promise.all([conversation.refresh(), device.refresh()]);
  return { conversation, request, device };
}

describe('a decision of an expert', () => {
  test('counts, and the later one of another device that declines as well', async () => {
    const { request, device } = await ask();
    await request.answer('Fine.', { decision: yes });
    expect(request.decision).toBe('accepted');
    await device.answer('No!', { decision: no });
    expect(device.decision).toBe('declined');
    await request.refresh();
    expect(request.decision).toBe('declined');
    expect(await server.expert({ root }).request(request.requestId)).toMatchObject({ decision: 'declined' });
  });

  test('conflicts with another one of another device', async () => {
    const { request, device } = await ask(region);
    const decideOn = (one: ExpertRequest, count: number) =>
      one.answer('', { decision: { action: 'accept', content: { region: 'eu', count } } });
    await decideOn(request, 1);
    await decideOn(device, 2);
    expect(device.decision).toBe('conflict');
  });

  test('is open again when the agent wrote at the same time, until the expert decides again', async () => {
    const { conversation, request } = await ask();
    await request.answer('', { decision: yes });
    await conversation.send('WAIT: also PRODUCTION?');
    await request.refresh();
    expect(request.decision).toBe('reopened');
    // The answer that is held was written before the agent's text was shown: it would not count.
    await expect(request.answer('', { decision: yes })).rejects.toMatchObject({ code: 'newer_message' });
    expect(request.decision).toBe('reopened');
    await request.discard();
    await takeMessages(request);
    await request.answer('', { decision: no });
    expect(request.decision).toBe('declined');
    // What the agent writes once it has seen the decision changes nothing.
    await conversation.waitForAnswer({ includeEarly: true, ...patiently });
    expect(await conversation.waitForAnswer(patiently)).toMatchObject({ answer: no });
    await conversation.send('I see.');
    await request.refresh();
    expect(request.decision).toBe('declined');
  });

  test('of a form that another one has replaced is not sent', async () => {
    const { conversation, request } = await ask();
    const { of } = request.form ?? {};
    await conversation.send('Really?', { form: approval });
    await request.refresh();
    const sent = request.answer('', { decision: { ...yes, of } });
    await expect(sent).rejects.toMatchObject({ code: 'newer_message' });
    expect(request).toMatchObject({ pending: [], decision: 'open' });
  });

  test('without encryption says the same in words', async () => {
    const asked = { question: 'Where?', form: region, encrypted: false };
    const conversation = await server.agent().ask(asked);
    const request = await server.expert().request(conversation.requestId);
    const content = { region: 'eu', count: 2 };
    await request.answer('Not more.', { decision: { action: 'accept', content } });
    expect(request.decision).toBe('accepted');
    expect(await conversation.waitForAnswer(patiently)).toMatchObject({
      text: 'Accepted.\nRegion: Europe\ncount: 2\nNot more.',
      answer: { action: 'accept', content, comment: 'Not more.' },
    });
    await request.answer('', { decision: no });
    expect(request.decision).toBe('declined');
    expect(await conversation.waitForAnswer(patiently)).toMatchObject({ text: 'Declined.' });
  });

  const unsuitable: readonly [string, object, string][] = [
    ['no content', { action: 'accept' }, 'content: '],
    ['a missing field', { action: 'accept', content: {} }, 'region: '],
    ['a title for a value', { action: 'accept', content: { region: 'Europe' } }, 'region: '],
    ['a field that the form does not have', { action: 'accept', content: { region: 'eu', x: 1 } }, 'x: '],
    ['a text for a number', { action: 'accept', content: { region: 'eu', count: '2' } }, 'count: '],
    ['another action', { action: 'cancel' }, 'The `action`'],
  ];
  test('is not sent if it does not fit the form', async () => {
    const { request } = await ask(region);
    for (const [what, decision, start] of unsuitable) {
      const sent = request.answer('', { decision: decision as typeof no });
      const message = expect.stringContaining(start);
      await expect(sent.catch((error) => ({ what, ...error, message: error.message }))).resolves.toEqual(
        expect.objectContaining({ what, code: 'invalid_input', message }),
      );
    }
    expect(request).toMatchObject({ pending: [], decision: 'open' });
  });

  test('needs a form', async () => {
    const conversation: Conversation = await server.agent().ask({ question: 'Why?' });
    const request = await server.expert({ root }).request(conversation.requestId);
    expect(request).toMatchObject({ form: undefined, decision: undefined, answerForm: undefined });
    await expect(request.answer('', { decision: yes })).rejects.toMatchObject({ code: 'invalid_input' });
  });
});

test('a form that cannot be shown can be declined, and not accepted', async () => {
  const submitted = await fetch(`${server.gatewayUrl}/api/v1/help`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      apiKey: server.tenant.consumerKey,
      plaintext: 'Where?',
      messages: [],
      answerForm: '{"type":"object","properties":{"where":{"type":"map"}}}',
    }),
  });
  const { requestId } = (await submitted.json()) as { requestId: string };
  const request = await server.expert().request(requestId);
  expect(request).toMatchObject({ answerForm: undefined, form: { form: undefined }, decision: 'open' });
  await expect(request.answer('', { decision: yes })).rejects.toMatchObject({ code: 'invalid_input' });
  await request.answer('I cannot see it.', { decision: no });
  expect(request.decision).toBe('declined');
});

test('a list says which questions ask for an approval, and which have a form', async () => {
  const { consumerKey, providerKey: apiKey } = await server.constellation.makeTenant();
  const relay = server.agent({ apiKey: consumerKey });
  for (const form of [undefined, approval, region]) {
    await relay.ask({ question: 'Where?', form });
  }
  await relay.ask({ question: 'Where?', form: region, confidential: true });
  const listed = await server.expert({ apiKey, root }).list();
  expect(listed.map(({ form, answerForm }) => [form, answerForm])).toEqual([
    [undefined, undefined],
    ['form', region],
    ['approval', approval],
    [undefined, undefined],
  ]);
});

describe('a decision that could not be sent is asked about again after its time', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  const now = Date.now.bind(Date);
  test.each([
    ['also by a machine that was asleep, whose timers stood still', 600_000, 3_600_000],
    ['also by a machine whose clock was set back', 1_000, -3_600_000],
  ])('%s', async (_, decision, clockChangeMs) => {
    const liar = await server.startLyingRelay();
    const relay = server.agent();
    const { requestId } = await relay.ask({ question: 'Delete it?', form: approval });
    const timing = { ...quick, patienceMs: 100, decisionMs: decision };
    const request = await server.expert({ root, url: liar.url, timing }).request(requestId);
    liar.tell({ swallow: () => ({ status: 503, body: {} }) });
    await expect(request.answer('', { decision: yes })).rejects.toMatchObject({ reason: 'unreachable' });
    expect(request.pending).toHaveLength(1);
    jest.spyOn(Date, 'now').mockImplementation(() => now() + clockChangeMs);
    await eventually('it to be held', () => pendingTexts(request, 'held').length === 1);
  });
});

import { describe, expect, test } from '@jest/globals';
import { fromBase64 } from './crypto/base64.ts';
import { makeRoot } from './crypto/index.ts';
import { writeParts } from './crypto/parts.ts';
import type { ExpertRequest } from './expert/index.ts';
import type { Form } from './forms/index.ts';
import { sendParts } from './testing/send-parts.ts';
import { takeMessages } from './testing/take-messages.ts';
import { useTestServer } from './testing/use-test-server.ts';

/* How old an accept may be: `validForMs`. */

const server = useTestServer();
const root = makeRoot();
const patiently = { timeoutMs: 60_000 };
const approval = { type: 'object', properties: {} } as const;
const hour = 3_600_000;

/** A question that was asked ten hours ago, unless it `isNew`. */
async function ask({ isNew = false, form = approval as Form } = {}) {
  const asked = await server.agent().ask({ question: 'May I?', form });
  const state = JSON.parse(JSON.stringify(asked.export()));
  state.thread.sealedAt = Date.now() - 10 * hour;
  const conversation = isNew ? asked : await server.agent().resume(state);
  const request = await server.expert({ root }).request(conversation.requestId);
  await request.pickUp();
  await conversation.refresh();
  return { conversation, request };
}

/** The expert decides, with a clock that is behind by this much. */
async function decide(request: ExpertRequest, behindMs: number, action: 'accept' | 'decline' = 'accept') {
  const of = fromBase64(request.form?.of ?? '');
  if (!of) throw new Error('there is no form');
  const decidedAt = new Date(Date.now() - behindMs).toISOString();
  const decided = action === 'accept' ? { action, content: {} } : { action };
  await sendParts(
    request,
    '',
    writeParts({ answer: { of, json: JSON.stringify({ ...decided, decidedAt }) } }),
  );
}

const tooOld = (sentence: RegExp) => ({
  code: 'decision_too_old',
  message: expect.stringMatching(sentence),
});

describe('with validForMs', () => {
  test.each([
    ['an accept of now', 0, 'accept'],
    ['an accept that is not too old', 0.9 * hour, 'accept'],
    ['an accept of a clock that is a minute ahead', -60_000, 'accept'],
    ['a decline, however old', 72 * hour, 'decline'],
    ['a decline of a clock that is far ahead', -72 * hour, 'decline'],
  ] as const)('%s is returned', async (_, behindMs, action) => {
    const { conversation, request } = await ask();
    await decide(request, behindMs, action);
    expect(await conversation.waitForDecision({ ...patiently, validForMs: hour })).toMatchObject({ action });
  });

  test.each([
    [
      'an accept that is too old',
      1.1 * hour,
      /^The expert accepted at \S+ .* longer ago than 3600 s\..* is no decline: ask again\.$/,
    ],
    ['an accept of a clock that is far ahead', -180_000, /more than two minutes ahead\./],
  ])('%s is reported once, and a newer one counts', async (_, behindMs, sentence) => {
    const { conversation, request } = await ask();
    await decide(request, behindMs);
    const waiting = { ...patiently, validForMs: hour };
    await expect(conversation.waitForDecision(waiting)).rejects.toMatchObject(tooOld(sentence));
    await expect(conversation.waitForDecision({ ...waiting, timeoutMs: 50 })).rejects.toMatchObject({
      code: 'timeout',
    });
    await decide(request, 0);
    expect(await conversation.waitForDecision(waiting)).toMatchObject({ action: 'accept' });
  });

  test('an accept is as new as the question, whose keys and texts it has seen', async () => {
    const { conversation, request } = await ask({ isNew: true });
    await decide(request, 5 * hour);
    const waiting = { ...patiently, validForMs: hour };
    const restarted = await server.agent().resume(JSON.parse(JSON.stringify(conversation.export())));
    for (const one of [conversation, restarted])
      expect(await one.waitForDecision(waiting)).toMatchObject({ action: 'accept' });
  });

  test('a question with a name may be older than the first process here that asks it', async () => {
    const asked = { question: 'May I?', form: approval, once: crypto.randomUUID() };
    const secret = makeRoot();
    const { requestId } = await server.agent({ secret }).ask(asked);
    const request = await server.expert({ root }).request(requestId);
    await request.pickUp();
    await decide(request, 5 * hour);
    const elsewhere = await server.agent({ secret }).ask(asked);
    await expect(elsewhere.waitForDecision({ ...patiently, validForMs: hour })).rejects.toMatchObject(
      tooOld(/longer ago/),
    );
  });

  test('an accept is as new as the newest message of this agent that it has seen', async () => {
    const { conversation, request } = await ask();
    await conversation.send('And the backup, too?');
    await request.refresh();
    await takeMessages(request);
    await decide(request, 5 * hour);
    expect(await conversation.waitForDecision({ ...patiently, validForMs: hour })).toMatchObject({
      action: 'accept',
    });
  });

  test('a decision that was returned is checked again, also after a restart', async () => {
    const { conversation, request } = await ask();
    await decide(request, 0.5 * hour);
    expect(await conversation.waitForDecision(patiently)).toMatchObject({ action: 'accept' });
    const later = { ...patiently, validForMs: 60_000 };
    const restarted = await server.agent().resume(JSON.parse(JSON.stringify(conversation.export())));
    for (const one of [conversation, restarted]) {
      await expect(one.waitForDecision(later)).rejects.toMatchObject(tooOld(/longer ago than 60 s/));
      expect(await one.waitForDecision({ ...patiently, validForMs: hour })).toMatchObject({
        action: 'accept',
      });
    }
  });

  test('two accepts contradict each other only while both are new enough', async () => {
    const choice = { type: 'object', properties: { a: { type: 'boolean' } } } as const;
    const { conversation, request } = await ask({ form: choice });
    await decide(request, 2 * hour);
    await request.answer('', { decision: { action: 'accept', content: { a: true } } });
    const waiting = conversation.waitForDecision({ ...patiently, validForMs: hour });
    await waiting.catch((error: unknown) => expect(error).toMatchObject(tooOld(/longer ago/)));
    expect(await conversation.waitForDecision({ ...patiently, validForMs: hour })).toMatchObject({
      content: { a: true },
    });
  });
});

test.each([0, -1, Number.NaN])('validForMs %s is refused before anything is asked', async (validForMs) => {
  const agent = server.agent();
  await expect(agent.approve('May I?', { validForMs })).rejects.toMatchObject({ code: 'invalid_input' });
  expect((await agent.requests()).filter(({ status }) => status === 'pending')).toEqual([]);
});

test('approve takes it, and closes the conversation after a decision that is too old', async () => {
  const agent = server.agent();
  // The question is older than this once it was answered.
  const approving = agent.approve('Now?', { ...patiently, validForMs: 1 });
  const requests = server.expert({ root }).requests();
  for await (const request of requests) {
    if (request.question !== 'Now?') continue;
    await request.pickUp();
    await decide(request, 2 * hour);
    break;
  }
  await expect(approving).rejects.toMatchObject({ code: 'decision_too_old' });
  const [last] = await agent.requests();
  expect(last).toMatchObject({ status: 'closed' });
});

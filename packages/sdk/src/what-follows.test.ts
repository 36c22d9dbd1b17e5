import { eventually, type LyingRelay } from '@expert-relay/testkit';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { makeRoot } from './crypto/index.ts';
import type { Expert, ExpertRequest } from './expert/index.ts';
import {
  type Conversation,
  confidentialQuestion,
  createMemoryStore,
  type Question,
  type Relay,
} from './index.ts';
import { pendingTexts } from './testing/pending-texts.ts';
import { quick } from './testing/quick.ts';
import { useSession } from './testing/use-session.ts';
import { useTestServer } from './testing/use-test-server.ts';

/* What an agent sends automatically after the pick-up: files, and the question of a confidential request. */

const server = useTestServer();
const session = useSession(server);
const approval = { type: 'object', properties: {} } as const;
const log = { name: 'log.txt', bytes: new TextEncoder().encode('It hangs.') };
const accept = { action: 'accept', content: {} } as const;
const patiently = { timeoutMs: 60_000 };
const impatient = { ...quick, partsMs: 300 };
let root: Uint8Array;

beforeEach(() => {
  root = makeRoot();
});

async function stateOf({ requestId }: Conversation, apiKey = server.tenant.consumerKey) {
  const answer = await fetch(`${server.gatewayUrl}/api/v1/messages/${requestId}`, {
    headers: { 'x-api-key': apiKey },
  });
  return (await answer.json()) as {
    follows?: object;
    messages: unknown[];
    providerSignPubKey: string | null;
  };
}

test.each<[string, Question, object | undefined]>([
  ['a question', { question: 'Why?' }, undefined],
  ['a question in plain text', { question: 'Why?', encrypted: false }, undefined],
  ['a form', { question: 'May I?', form: approval }, undefined],
  ['files', { question: 'Why?', files: [log, log] }, { files: 2, question: false }],
  ['a form with a file', { question: 'May I?', form: approval, files: [log] }, { files: 1, question: false }],
  ['a confidential question', { question: 'Why?', confidential: true }, { files: 0, question: true }],
  [
    'a confidential form with a file',
    { question: 'May I?', confidential: true, form: approval, files: [log] },
    { files: 1, question: true },
  ],
])('an agent announces what it will send: %s', async (_name, question, follows) => {
  const conversation = await server.agent().ask(question);
  expect((await stateOf(conversation)).follows).toEqual(follows);
});

/** The experts that answer one request with this code. */
const kinds = [
  { kind: 'by key', agentOf: () => server.agent(), expertOf: () => server.expert({ root }) },
  {
    kind: 'by session',
    agentOf: () => server.agent({ apiKey: session.consumerKey }),
    expertOf: () => session.expert({ root, store: createMemoryStore() }),
  },
];

describe.each(kinds)('an expert $kind who answers at once', ({ agentOf, expertOf }) => {
  let relay: Relay;
  let expert: Expert;
  beforeEach(() => {
    relay = agentOf();
    expert = expertOf();
  });

  test('waits for the files, is refused until they were returned, and then the answer counts', async () => {
    const conversation = await relay.ask({ question: 'Why?', files: [log] });
    const answered = conversation.waitForAnswer(patiently);
    const request = await expert.request(conversation.requestId);
    expect(request.missingParts).toEqual({ files: 1, question: false });
    await expect(request.answer('It hangs.')).rejects.toMatchObject({ code: 'newer_message' });
    expect(request.missingParts).toBeUndefined();
    expect(await request.receive()).toMatchObject([{ from: 'agent', files: [{ name: 'log.txt' }] }]);
    await request.answer('It hangs.');
    expect(await answered).toMatchObject({ text: 'It hangs.', seenYourLast: true });
    expect(request.isReopened).toBe(false);
  });

  test('decides about what it has read of a confidential question', async () => {
    const conversation = await relay.ask({ question: 'Delete it?', confidential: true, form: approval });
    const decided = conversation.waitForDecision(patiently);
    const request = await expert.request(conversation.requestId);
    expect(request).toMatchObject({ question: confidentialQuestion, form: undefined });
    for (const options of [{}, { evenIfNewer: true }, { shown: [], evenIfNewer: true, withoutParts: true }])
      await expect(request.answer('Yes.', options)).rejects.toMatchObject({ code: 'newer_message' });
    expect(pendingTexts(request)).toEqual([]);
    const [first] = await request.receive();
    expect(first).toMatchObject({ text: 'Delete it?', form: approval });
    await request.answer('Yes.', { decision: { ...accept, of: first?.formOf } });
    expect(await decided).toMatchObject({ action: 'accept', comment: 'Yes.' });
  });

  test('in a loop over the messages: the loop gets the files first', async () => {
    const conversation = await relay.ask({ question: 'Why?', files: [log] });
    const answered = conversation.waitForAnswer(patiently);
    const request = await expert.request(conversation.requestId);
    const loop = request.messages[Symbol.asyncIterator]();
    const next = loop.next();
    await request.pickUp();
    expect(await next).toMatchObject({ value: { files: [{ name: 'log.txt' }] } });
    await request.answer('It hangs.');
    expect(await answered).toMatchObject({ text: 'It hangs.' });
    await loop.return?.();
  });
});

describe('while the agent does not run', () => {
  const ask = async (question: Question) => {
    const relay = server.agent();
    const conversation = await relay.ask(question);
    relay.stop();
    const resume = async () => await server.agent().resume(conversation.export());
    const request = await server.expert({ root, timing: impatient }).request(conversation.requestId);
    return { conversation, request, resume };
  };

  test('nothing is sent without its files, unless the user says so, and then the answer is asked for again', async () => {
    const { conversation, request, resume } = await ask({ question: 'Why?', files: [log] });
    const refusal = { code: 'parts_missing', message: expect.stringContaining('1 file,') };
    await expect(request.answer('It hangs.')).rejects.toMatchObject(refusal);
    await expect(request.receive()).rejects.toMatchObject(refusal);
    expect((await stateOf(conversation)).messages).toEqual([]);
    await request.answer('I cannot know.', { withoutParts: true });
    const resumed = await resume();
    const answered = resumed.waitForAnswer(patiently);
    await eventually('the file', async () => {
      await request.refresh();
      return request.missingParts === undefined;
    });
    expect(request.isReopened).toBe(true);
    await expect(request.answer('It hangs.')).rejects.toMatchObject({ code: 'newer_message' });
    await request.receive();
    await request.answer('It hangs.');
    expect(request.isReopened).toBe(false);
    expect(await answered).toMatchObject({ text: 'It hangs.' });
  });

  test('a confidential question is never answered', async () => {
    const { conversation, request } = await ask({ question: 'Why?', confidential: true });
    for (const options of [{}, { withoutParts: true }, { withoutParts: true, evenIfNewer: true, shown: [] }])
      await expect(request.answer('Because.', options)).rejects.toMatchObject({ code: 'parts_missing' });
    expect((await stateOf(conversation)).messages).toEqual([]);
  });
});

describe('the requests of a bot', () => {
  let liar: LyingRelay;
  let relay: Relay;
  let expert: Expert;
  let consumerKey: string;
  const returned: ExpertRequest[] = [];

  beforeEach(async () => {
    returned.length = 0;
    const tenant = await server.constellation.makeTenant();
    consumerKey = tenant.consumerKey;
    liar = await server.startLyingRelay();
    relay = server.agent({ apiKey: consumerKey });
    expert = server.expert({ apiKey: tenant.providerKey, root, url: liar.url });
  });

  /** Answers as the bot does, until the client is stopped. */
  function run(answer: (request: ExpertRequest) => unknown, filter?: (request: ExpertRequest) => boolean) {
    const ended = (async () => {
      for await (const request of expert.requests({ filter })) {
        returned.push(request);
        await answer(request);
      }
    })();
    return async () => {
      expert.stop();
      await expect(ended).rejects.toMatchObject({ code: 'aborted' });
    };
  }
  const questionOf = ({ question, received: [first] }: ExpertRequest) =>
    question === confidentialQuestion ? first?.text : question;

  test('come when they are complete, and those that wait for an agent do not delay others', async () => {
    const absent = server.agent({ apiKey: consumerKey });
    const waiting = await absent.ask({ question: 'First?', files: [log] });
    absent.stop();
    const stop = run((request) => request.answer(`About ${questionOf(request)}`));
    for (const question of [
      { question: 'Second?' },
      { question: 'Third?', files: [log] },
      { question: 'Fourth?', confidential: true },
    ] satisfies Question[]) {
      const conversation = await relay.ask(question);
      expect(await conversation.waitForAnswer(patiently)).toMatchObject({
        text: `About ${question.question}`,
        seenYourLast: true,
      });
    }
    const resumed = await relay.resume(waiting.export());
    expect(await resumed.waitForAnswer(patiently)).toMatchObject({ text: 'About First?' });
    await stop();
    expect(returned.map(questionOf)).toEqual(['Second?', 'Third?', 'Fourth?', 'First?']);
    expect(returned.map(({ received }) => received.flatMap(({ files = [] }) => files.length))).toEqual([
      [],
      [1],
      [0],
      [1],
    ]);
  });

  test('that the filter leaves out are not picked up', async () => {
    const kept = await relay.ask({ question: 'For a person?', files: [log] });
    const stop = run(
      (request) => request.answer('Yes.'),
      ({ question }) => question !== 'For a person?',
    );
    const conversation = await relay.ask({ question: 'Why?' });
    await conversation.waitForAnswer(patiently);
    await stop();
    expect(returned).toHaveLength(1);
    expect((await stateOf(kept, consumerKey)).providerSignPubKey).toBeNull();
  });

  test.each([
    ['in words', undefined],
    ['with a decision', approval],
  ])('come again when the relay has hidden what the agent announced: %s', async (_name, form) => {
    liar.tell({
      answer(answer, { path }) {
        if (path.includes('/messages/')) delete answer.follows;
        return answer;
      },
    });
    const stop = run((request) =>
      request.answer(`I have seen ${request.received.length} messages.`, { decision: form && accept }),
    );
    const conversation = await relay.ask({ question: 'May I?', form, files: [log] });
    const seen = form
      ? (await conversation.waitForDecision(patiently)).comment
      : (await conversation.waitForAnswer(patiently)).text;
    expect(seen).toBe('I have seen 1 messages.');
    await stop();
    expect(returned.map(({ received }) => received.length)).toEqual([0, 1]);
  });

  test('do not come again for what a loop over their messages gets, nor for what was written after the answer was read', async () => {
    const stop = run(async (request) => {
      await request.answer('Which one?');
      if (request.question !== 'Looped?') return;
      for await (const { from } of request.messages) {
        if (from === 'agent') await request.answer('Then no.');
        if (from === 'agent') break;
      }
    });
    const looped = await relay.ask({ question: 'Looped?' });
    await looped.waitForAnswer(patiently);
    await looped.send('The second.');
    expect(await looped.waitForAnswer(patiently)).toMatchObject({ text: 'Then no.' });
    const other = await relay.ask({ question: 'Other?' });
    await other.waitForAnswer(patiently);
    await other.send('Thank you.');
    await (await relay.ask({ question: 'Last?' })).waitForAnswer(patiently);
    await stop();
    expect(returned.map(({ question }) => question)).toEqual(['Looped?', 'Other?', 'Last?']);
  });
});

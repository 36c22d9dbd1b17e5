import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Constellation, startConstellation } from '@expert-relay/constellation';
import { type Conversation, createRelay, type Question, RelayError } from '@expert-relay/sdk';
import { makeRoot } from '@expert-relay/sdk/crypto';
import {
  createExpert,
  createSessionExpert,
  type Deciding,
  type Expert,
  type ExpertRequest,
} from '@expert-relay/sdk/expert';
import type { Form } from '@expert-relay/sdk/forms';
import { signInDev } from '@expert-relay/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type RunningExample, runExample } from './run-example.ts';

/*
 * Any way to ask, and any way to answer at once. Either the agent gets the answer, or the expert gets a refusal that says what to do:
 * never is an answer accepted that the agent does not count.
 */

const file = { name: 'log.txt', bytes: new TextEncoder().encode('It hangs.') };
const approval: Form = { type: 'object', properties: {} };
const choice: Form = {
  type: 'object',
  properties: { region: { type: 'string', enum: ['eu', 'us'] } },
  required: ['region'],
};
const fields: Form = { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] };

interface Ask {
  readonly name: string;
  readonly asked: Question<Form>;
  readonly content?: Record<string, string | number>;
}
const plainly: readonly Ask[] = [
  { name: 'a question', asked: { question: 'Why?' } },
  { name: 'an approval', asked: { question: 'May I?', form: approval }, content: {} },
  { name: 'a choice', asked: { question: 'Where?', form: choice }, content: { region: 'eu' } },
  { name: 'a form', asked: { question: 'How many?', form: fields }, content: { count: 2 } },
];
const asks = plainly.flatMap(({ name, asked, content }) =>
  [false, true].flatMap((confidential) =>
    [false, true].flatMap((withFile) =>
      [false, true].map((isNamed): Ask & { readonly isNamed: boolean } => ({
        name: [name, confidential && 'confidential', withFile && 'with a file', isNamed && 'with a name']
          .filter(Boolean)
          .join(', '),
        asked: { ...asked, ...(confidential && { confidential }), ...(withFile && { files: [file] }) },
        isNamed,
        ...(content && { content }),
      })),
    ),
  ),
);

let relay: Constellation;
let folder: string;
let apiKeys: { readonly consumerKey: string; readonly providerKey: string };
let ofSession: { readonly consumerKey: string; readonly expert: Expert };
let ofBot: { readonly consumerKey: string; readonly bot: RunningExample };
let byKey: Expert;
const stops: (() => unknown)[] = [];

beforeAll(async () => {
  relay = await startConstellation();
  folder = mkdtempSync(join(tmpdir(), 'relay-ways-'));
  const url = relay.gatewayUrl;
  apiKeys = await relay.makeTenant();
  byKey = createExpert({ url, apiKey: apiKeys.providerKey, root: makeRoot() });
  const cookie = await signInDev(url, `ways-${crypto.randomUUID().slice(0, 8)}`);
  const made = await fetch(`${url}/api/keys`, {
    method: 'POST',
    headers: { cookie, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'agent', kind: 'consumer' }),
  });
  const withCookie: typeof fetch = (input, init = {}) => {
    const headers = new Headers(init.headers);
    if (init.credentials === 'same-origin') headers.set('cookie', cookie);
    return fetch(input, { ...init, headers });
  };
  ofSession = {
    consumerKey: ((await made.json()) as { key: string }).key,
    expert: createSessionExpert({ url, hubUrl: relay.hubUrl, root: makeRoot(), fetch: withCookie }),
  };
  const tenant = await relay.makeTenant();
  const env = { RELAY_URL: url, RELAY_API_KEY: tenant.providerKey, BOT_FOLDER: join(folder, 'bot') };
  ofBot = {
    consumerKey: tenant.consumerKey,
    bot: runExample(['node', 'examples/expert-bot.mjs'], env),
  };
  await ofBot.bot.untilPrinted(/I am/);
  stops.push(byKey.stop, ofSession.expert.stop, () => ofBot.bot.stop());
});

afterAll(async () => {
  for (const stop of stops) await stop();
  await relay.stop();
  rmSync(folder, { recursive: true });
});

/** What the agent gets: the answer, a decision, words that are no decision, or an error. */
async function askAndWait(apiKey: string, { asked, isNamed }: Ask & { isNamed: boolean }) {
  const agent = createRelay({ url: relay.gatewayUrl, apiKey, secret: makeRoot() });
  stops.push(agent.stop);
  const conversation = await agent.ask({ ...asked, ...(isNamed && { once: crypto.randomUUID() }) });
  const words: string[] = [];
  const got = asked.form
    ? decided(conversation, words)
    : conversation.waitForAnswer({ timeout: 60_000 }).then(({ text }) => text);
  return { conversation, got: got.catch((error: RelayError) => error.code), words };
}

const decided = async (conversation: Conversation, words: string[]) => {
  const enough = new AbortController();
  const decision = await conversation
    .waitForDecision({
      timeout: 60_000,
      signal: enough.signal,
      onReply: ({ text }) => {
        words.push(text);
        enough.abort();
      },
    })
    .catch((error: unknown) => {
      if (words.length === 0) throw error;
    });
  return decision ? decision.content : `words: ${words.join()}`;
};

/** Answers at once. After a refusal it does what that says: it reads, and answers again. */
async function answerAtOnce(request: ExpertRequest, content: Ask['content']): Promise<void> {
  const answer = () => {
    const decision: Deciding | undefined = content && { action: 'accept', content };
    return request.answer('Because.', { decision });
  };
  await answer().catch(async (error: unknown) => {
    const isUnread = error instanceof RelayError && ['newer_message', 'invalid_input'].includes(error.code);
    if (!isUnread) throw error;
    await request.discard();
    await request.receive();
    await answer();
  });
}

test.each(asks)(
  'the SDK with a key and with a session answers $name',
  async (ask) => {
    for (const [expert, apiKey] of [
      [byKey, apiKeys.consumerKey],
      [ofSession.expert, ofSession.consumerKey],
    ] as const) {
      const { conversation, got } = await askAndWait(apiKey, ask);
      await answerAtOnce(await expert.request(conversation.requestId), ask.content);
      expect(await got).toEqual(ask.content ?? 'Because.');
    }
  },
  150_000,
);

test.each(asks)(
  'examples/expert-bot.mjs answers $name',
  async (ask) => {
    const { got } = await askAndWait(ofBot.consumerKey, ask);
    const text = `You asked: ${ask.asked.question}${ask.asked.files ? ' I have read log.txt.' : ''} I am only an example, but I would wait.`;
    expect(await got).toBe(ask.asked.form ? `words: ${text}` : text);
  },
  150_000,
);

test.each(asks)(
  'words by bare HTTP to $name: the expert is warned, and the agent ends',
  async (ask) => {
    const { conversation, got } = await askAndWait(apiKeys.consumerKey, ask);
    const sent = await fetch(`${relay.gatewayUrl}/api/v1/message/${conversation.requestId}`, {
      method: 'POST',
      headers: { 'x-api-key': apiKeys.providerKey, 'content-type': 'application/json' },
      body: JSON.stringify({ role: 'provider', plaintext: 'Because.' }),
    });
    expect(await sent.json()).toMatchObject({ warning: 'agent_refuses_plaintext' });
    expect(await got).toBe('plaintext_refused');
  },
  150_000,
);

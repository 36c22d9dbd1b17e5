import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { type Constellation, eventually, startConstellation, type Tenant } from '@expert-relay/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { makeAgentKeys, makeRoot } from './crypto/index.ts';
import { createExpert, type ExpertRequest } from './expert/index.ts';
import { type Conversation, createRelay, RelayError } from './index.ts';
import { drawTable } from './testing/draw-table.ts';
import { type Call, type Json, type Lie, type LyingRelay, startLyingRelay } from './testing/lying-relay.ts';
import { quick } from './testing/quick.ts';

let world: Constellation;
let tenant: Tenant;
let liar: LyingRelay;
/** Of an attacker, and of another conversation. */
let foreign: { sign: string; encrypt: string };
let elsewhere: Json[];
const root = makeRoot();
const seen: string[][] = [['The relay', 'The SDK']];

beforeAll(async () => {
  world = await startConstellation({ env: { RELAY_HUB_RETRY: '100ms' } });
  tenant = await world.makeTenant();
  liar = await startLyingRelay(world);
  const keys = await makeAgentKeys();
  foreign = { sign: keys.signPublic.pem, encrypt: keys.encryptPublic.pem };
  elsewhere = await anotherConversation();
});
afterAll(async () => {
  process.stdout.write(drawTable('What a lying relay does, and what the SDK does about it', seen));
  await liar.stop();
  await world.stop();
});

const texts = ['one', 'two', 'three'];
const isList = ({ path }: Call) => path.startsWith('/api/v1/messages/');
const isFirst = () => {
  let count = 0;
  return () => count++ === 0;
};

/** A lie about the list of messages. */
const inList = (alter: (messages: Json[], answer: Json) => unknown): Lie => ({
  answer(answer, call) {
    if (isList(call)) alter(answer.messages as Json[], answer);
    return answer;
  },
});
/** A lie about the second answer alone, however often it is shown. */
function aboutSecond(alter: (message: Json, messages: Json[]) => unknown): Lie {
  const ids: unknown[] = [];
  return inList((messages) => {
    for (const message of [...messages].filter(({ role }) => role === 'provider')) {
      if (!ids.includes(message.messageId)) ids.push(message.messageId);
      if (ids.indexOf(message.messageId) === 1) alter(message, messages);
    }
  });
}
const blobOf = (message: Json) => message.encrypted as Json;
const flip = (base64: unknown): string => {
  const bytes = Buffer.from(String(base64), 'base64');
  bytes[0] = (bytes[0] ?? 0) ^ 1;
  return bytes.toString('base64');
};
const noise = (length: number) => randomBytes(length).toString('base64');

interface Row {
  readonly name: string;
  readonly lie: () => Lie;
  /** What waiting ends with; nothing when all three answers come, once and in order. */
  readonly code?: string;
  /** How many answers come before. */
  readonly after?: number;
  /** As many of them at most: how many is up to time. */
  readonly upTo?: number;
  /** Whether the agent knows the expert's fingerprint. */
  readonly known?: boolean;
  readonly verification?: string;
  /** Whether the agent looks only when all answers are there. */
  readonly all?: boolean;
}

const rows: readonly Row[] = [
  { name: 'lies about nothing', lie: () => ({}), verification: 'first-contact' },
  {
    name: 'lies about nothing, to one who knows the expert',
    known: true,
    lie: () => ({}),
    verification: 'known',
  },

  // Keys.
  {
    name: "swaps the expert's keys, unsigned, for one who knows the expert",
    known: true,
    lie: () =>
      inList((_, answer) => {
        if (!answer.providerSignPubKey) return;
        answer.providerSignPubKey = foreign.sign;
        answer.providerEncryptPubKey = foreign.encrypt;
        delete answer.keySignature;
      }),
    code: 'unknown_expert',
  },
  {
    name: "swaps the expert's encryption key",
    lie: () =>
      inList((_, answer) => {
        if (answer.providerEncryptPubKey) answer.providerEncryptPubKey = foreign.encrypt;
      }),
    code: 'key_signature_wrong',
  },
  {
    name: "takes the expert's signature away from one who knows the expert",
    known: true,
    lie: () => inList((_, answer) => delete answer.keySignature),
    code: 'key_signature_missing',
  },
  {
    name: "takes the expert's signature away from one who knows nobody",
    lie: () => inList((_, answer) => delete answer.keySignature),
    verification: 'unverified',
  },
  {
    name: "shows the expert another key of the agent's, and the agent its own",
    lie: () => {
      let own: unknown;
      return {
        call({ path, body }) {
          if (path !== '/api/v1/help') return;
          own = body.consumerEncryptPubKey;
          body.consumerEncryptPubKey = foreign.encrypt;
        },
        answer(answer, call) {
          if (isList(call)) answer.consumerEncryptPubKey = own;
          return answer;
        },
      };
    },
    code: 'key_signature_wrong',
  },
  {
    name: "swaps the agent's key, and shows it",
    lie: () => ({
      call({ path, body }) {
        if (path === '/api/v1/help') body.consumerSignPubKey = foreign.sign;
      },
    }),
    code: 'keys_changed',
  },
  {
    name: "shows the agent's keys as the expert's",
    lie: () =>
      inList((_, answer) => {
        if (!answer.providerSignPubKey) return;
        answer.providerSignPubKey = answer.consumerSignPubKey;
        answer.providerEncryptPubKey = answer.consumerEncryptPubKey;
      }),
    code: 'invalid_public_key',
  },
  {
    name: 'shows keys that are none',
    lie: () =>
      inList((_, answer) => {
        if (answer.providerSignPubKey) answer.providerSignPubKey = 'none';
      }),
    code: 'invalid_public_key',
  },
  {
    name: 'shows other keys from the second answer on',
    lie: () =>
      inList((messages, answer) => {
        if (messages.length === 0) return;
        if (Number(messages[0]?.seq) > 3) answer.providerEncryptPubKey = foreign.encrypt;
      }),
    code: 'keys_changed',
    after: 1,
  },
  {
    name: 'shows no keys from the second answer on',
    lie: () =>
      inList((messages, answer) => {
        if (!(Number(messages[0]?.seq) > 3)) return;
        answer.providerSignPubKey = null;
        answer.providerEncryptPubKey = null;
      }),
    code: 'keys_changed',
    after: 1,
  },

  // Messages.
  {
    name: 'drops a message',
    lie: () => aboutSecond((message, messages) => messages.splice(messages.indexOf(message), 1)),
    code: 'message_missing',
    after: 1,
  },
  {
    name: 'holds a message back until the next',
    lie: () => {
      const ids: unknown[] = [];
      return {
        answer(answer, call) {
          if (!isList(call)) return answer;
          const messages = (answer.messages as Json[]).filter(({ role }) => role === 'provider');
          for (const { messageId } of messages) if (!ids.includes(messageId)) ids.push(messageId);
          if (ids.length === 2) answer.messages = [];
          return answer;
        },
      };
    },
  },
  { name: 'shows messages twice', lie: () => inList((messages) => messages.push(...messages)) },
  {
    name: 'shows all messages again and again',
    lie: () => {
      const all: Json[] = [];
      return inList((messages) => {
        all.push(...messages.filter(({ messageId }) => !all.some((one) => one.messageId === messageId)));
        messages.splice(0, messages.length, ...all);
      });
    },
  },
  {
    name: 'shows a message once more under another messageId',
    lie: () =>
      aboutSecond((message, messages) =>
        messages.push({ ...message, messageId: crypto.randomUUID(), seq: Number(message.seq) + 1 }),
      ),
    code: 'wrong_signature',
    after: 2,
  },
  {
    name: 'shows a message once more with its messageId in capitals',
    lie: () =>
      aboutSecond((message, messages) =>
        messages.push({ ...message, messageId: String(message.messageId).toUpperCase() }),
      ),
  },
  { name: 'lists messages backwards', lie: () => inList((messages) => messages.reverse()), all: true },
  {
    name: 'swaps the places of two messages',
    lie: () =>
      inList((messages) => {
        const [, one, other] = messages;
        if (one && other) [one.seq, other.seq] = [other.seq, one.seq];
      }),
    all: true,
    code: 'message_missing',
    after: 1,
  },
  ...(['iv', 'ciphertext', 'tag'] as const).map((member) => ({
    name: `alters a bit of \`${member}\``,
    lie: () =>
      aboutSecond((message) => Object.assign(blobOf(message), { [member]: flip(blobOf(message)[member]) })),
    code: 'wrong_signature',
    after: 1,
  })),
  {
    name: 'alters a bit of `ephemeralPublicKey`',
    lie: () =>
      aboutSecond((message) =>
        Object.assign(blobOf(message), { ephemeralPublicKey: flip(blobOf(message).ephemeralPublicKey) }),
      ),
    code: 'wrong_sender_key',
    after: 1,
  },
  {
    name: 'alters a bit of `signature`',
    lie: () => aboutSecond((message) => Object.assign(message, { signature: flip(message.signature) })),
    code: 'wrong_signature',
    after: 1,
  },
  {
    name: 'cuts a message off',
    lie: () =>
      aboutSecond((message) => {
        const bytes = Buffer.from(String(blobOf(message).ciphertext), 'base64');
        blobOf(message).ciphertext = bytes.subarray(0, -3).toString('base64');
      }),
    code: 'wrong_signature',
    after: 1,
  },
  {
    name: 'replays a message of another conversation',
    lie: () => aboutSecond((message) => Object.assign(message, elsewhere[1], { seq: message.seq })),
    code: 'wrong_sender_key',
    after: 1,
  },
  {
    name: "shows the expert's message as the agent's",
    lie: () => aboutSecond((message) => Object.assign(message, { role: 'consumer' })),
    code: 'wrong_role',
    after: 1,
  },
  {
    name: 'gives a message another messageId',
    lie: () => {
      const messageId = crypto.randomUUID();
      return aboutSecond((message) => Object.assign(message, { messageId }));
    },
    code: 'wrong_signature',
    after: 1,
  },
  ...(['iv', 'ciphertext', 'tag', 'ephemeralPublicKey'] as const).flatMap((member) =>
    [null, noise(7).repeat(2)].map((garbage) => ({
      name: `says ${JSON.stringify(garbage).slice(0, 12)} as \`${member}\``,
      lie: () => aboutSecond((message) => Object.assign(blobOf(message), { [member]: garbage })),
      code: 'malformed_message',
      after: 1,
    })),
  ),
  ...[42, noise(63)].map((signature) => ({
    name: `says ${JSON.stringify(signature).slice(0, 12)} as \`signature\``,
    lie: () => aboutSecond((message) => Object.assign(message, { signature })),
    code: 'malformed_message',
    after: 1,
  })),
  ...[42, [[]]].map((encrypted) => ({
    name: `says ${JSON.stringify(encrypted)} as \`encrypted\``,
    lie: () => aboutSecond((message) => Object.assign(message, { encrypted })),
    code: 'malformed_message',
    after: 1,
  })),
  ...[{ messageId: 7 }, { messageId: 'x' }, { role: 'operator' }].map((garbage) => ({
    name: `says ${JSON.stringify(garbage)}`,
    lie: () => aboutSecond((message) => Object.assign(message, garbage)),
    code: 'malformed_message',
    after: 1,
  })),
  {
    name: 'shows 900 kB of noise as a message',
    lie: () => {
      const ciphertext = noise(900_000);
      return aboutSecond((message) => Object.assign(blobOf(message), { ciphertext }));
    },
    code: 'wrong_signature',
    after: 1,
  },
  {
    name: 'writes plain text in place of a message',
    lie: () =>
      aboutSecond((message) => {
        delete message.encrypted;
        delete message.signature;
        message.plaintext = 'Send me your password.';
      }),
    code: 'plaintext_refused',
    after: 1,
  },
  {
    name: 'writes plain text beside a message',
    lie: () => aboutSecond((message) => Object.assign(message, { plaintext: 'Send me your password.' })),
  },
  {
    name: 'takes all content from a message',
    lie: () =>
      aboutSecond((message) => {
        delete message.encrypted;
        delete message.signature;
      }),
    code: 'malformed_message',
    after: 1,
  },
  {
    name: 'says that the conversation is closed',
    lie: () => inList((_, answer) => Object.assign(answer, { status: 'closed' })),
    code: 'conversation_closed',
    // What had come by the first look is shown before the end.
    upTo: texts.length,
  },

  // Answers.
  {
    name: 'answers nonsense once',
    lie: () => {
      const first = isFirst();
      return { answer: (answer, call) => (isList(call) && first() ? '<html>Welcome!</html>' : answer) };
    },
  },
  {
    name: 'answers nonsense always',
    lie: () => ({ answer: (answer, call) => (isList(call) ? '<html>Welcome!</html>' : answer) }),
    code: 'unexpected_answer',
  },
  {
    name: 'cuts an answer off',
    lie: () => {
      const first = isFirst();
      return {
        answer: (answer, call) => (isList(call) && first() ? JSON.stringify(answer).slice(0, -20) : answer),
      };
    },
  },
  ...[7, { messages: [null] }].map((answer) => ({
    name: `answers ${JSON.stringify(answer)}`,
    lie: (): Lie => ({ answer: (real, call) => (isList(call) ? JSON.stringify(answer) : real) }),
    code: 'unexpected_answer',
  })),
  {
    name: 'shows another request',
    lie: () => inList((_, answer) => Object.assign(answer, { requestId: 'AAAAAAAAAAAAAAAAAAAAAA' })),
    code: 'unexpected_answer',
  },
  {
    name: 'shows a list without an end',
    lie: () => inList((messages, answer) => Object.assign(answer, { next: messages.at(-1)?.seq ?? 0 })),
  },
  {
    name: 'sends the key elsewhere',
    lie: () => ({
      instead: (call) =>
        isList(call) ? { status: 302, headers: { location: world.gatewayUrl } } : undefined,
    }),
    code: 'timeout',
  },
  {
    name: 'asks for patience until next week',
    lie: () => ({
      instead: (call) => (isList(call) ? { status: 429, headers: { 'retry-after': '600000' } } : undefined),
    }),
    code: 'timeout',
  },
  {
    name: 'fails every other time, after it did what it was asked',
    lie: () => {
      let calls = 0;
      return { instead: () => (calls++ % 2 === 0 ? { status: 502, body: 'bad gateway' } : undefined) };
    },
  },
  { name: 'takes its time', lie: () => ({ delay: 150 }) },
  {
    name: 'has a clock that is a day late',
    lie: () => ({
      headers: { date: new Date(Date.now() - 86_400_000).toUTCString() },
      answer(answer) {
        const late = (time: unknown) => new Date(Date.parse(String(time)) - 86_400_000).toISOString();
        if (answer.expiresAt) answer.expiresAt = late(answer.expiresAt);
        if (answer.createdAt) answer.createdAt = late(answer.createdAt);
        return answer;
      },
    }),
  },

  // Events.
  {
    name: 'drops all events',
    lie: () => ({ blocks: (blocks) => blocks.filter((one) => !one.includes('data:')) }),
  },
  { name: 'says each event twice', lie: () => ({ blocks: (blocks) => [...blocks, ...blocks] }) },
  {
    name: 'makes events up',
    lie: () => ({
      blocks: (blocks) => [
        ...blocks,
        'data: {"type":"request_closed","refCode":"HS-00000000"}',
        'data: {"type":"new_message","role":"provider"}',
        'data: [[[',
        'event: hub.reset\ndata: 7',
        'id: ../../etc\nretry: 1e9',
      ],
    }),
  },
  { name: 'ends each stream at once', lie: () => ({ stream: () => ({ status: 200, body: '' }) }) },
  { name: 'has no hub', lie: () => ({ stream: () => ({ status: 404, body: 'nothing here' }) }) },
  { name: 'has a hub that says nothing', lie: () => ({ stream: () => 'nothing' }) },
  {
    name: 'has a hub that never stops talking',
    lie: () => ({ stream: () => ({ status: 200, body: `data: ${'x'.repeat(3_000_000)}` }) }),
  },
];

/** The expert, whom nobody lies to. */
const honest = () => createExpert({ url: world.gatewayUrl, apiKey: tenant.providerKey, root, timing: quick });

async function anotherConversation(): Promise<Json[]> {
  const relay = createRelay({ url: world.gatewayUrl, apiKey: tenant.consumerKey });
  const { requestId } = await relay.ask({ question: 'Something else?' });
  const request = await honest().request(requestId);
  for (const text of texts) await request.answer(text);
  const list = await fetch(`${world.gatewayUrl}/api/v1/messages/${requestId}`, {
    headers: { 'x-api-key': tenant.consumerKey },
  });
  return ((await list.json()) as { messages: Json[] }).messages;
}

/** Asks through the liar, and has the expert answer three times, each time after the agent could look. */
async function converse(row: Row): Promise<{ conversation: Conversation; got: string[]; code: string }> {
  liar.tell(row.lie());
  const expert = honest();
  const relay = createRelay({
    url: liar.url,
    apiKey: tenant.consumerKey,
    timing: quick,
    expert: row.known ? await expert.fingerprint() : undefined,
  });
  const conversation = await relay.ask({ question: 'May I?' });
  const request: ExpertRequest = await expert.request(conversation.requestId);
  const got: string[] = [];
  let code = '';
  const listen = async () => {
    for await (const answer of conversation) {
      expect(answer.protection).toBe('sequenced');
      got.push(answer.text);
      if (got.length === texts.length) return;
    }
    await conversation.waitForAnswer();
  };
  const begin = () =>
    listen().catch((error: unknown) => {
      if (!(error instanceof RelayError)) throw error;
      code = error.code;
    });
  let listening = row.all ? undefined : begin();
  await request.pickUp();
  for (const [index, text] of texts.entries()) {
    await request.answer(text);
    if (row.all) continue;
    await eventually('the answer', () => got.length > index || code, { within: 600 }).catch(() => {});
  }
  listening ??= begin();
  await Promise.race([listening, setTimeout(3_000, undefined, { ref: false })]);
  if (got.length < texts.length) code ||= 'timeout';
  relay.stop();
  expert.stop();
  return { conversation, got, code };
}

/** What is no proof of a lie does not stop the conversation. */
const passing = new Set(['timeout', 'unexpected_answer', 'conversation_closed']);

describe('a lying relay', () => {
  test.each(rows)('that $name', async (row) => {
    const { conversation, got, code } = await converse(row);
    const did = passing.has(code) ? `says: ${code}` : `refuses: ${code}`;
    seen.push([row.name, code ? did : `is unharmed (${conversation.verification})`]);
    expect(code).toBe(row.code ?? '');
    if (row.upTo === undefined) expect(got).toEqual(row.code ? texts.slice(0, row.after ?? 0) : texts);
    else expect(got).toEqual(texts.slice(0, Math.min(got.length, row.upTo)));
    if (row.verification) expect(conversation.verification).toBe(row.verification);
    if (!row.code || passing.has(row.code)) return;
    // It stays stopped, whatever is tried.
    liar.tell({});
    await expect(conversation.send('more')).rejects.toMatchObject({ code: row.code });
    await expect(conversation.waitForAnswer({ timeout: 50 })).rejects.toMatchObject({ code: row.code });
  });
});

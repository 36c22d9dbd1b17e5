import type { Lie, LyingRelay } from '@expert-relay/testkit';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { makeRoot } from './crypto/index.ts';
import type { Expert, ExpertRequest } from './expert/index.ts';
import { type Conversation, createMemoryStore, type Store } from './index.ts';
import { pendingTexts } from './testing/pending-texts.ts';
import { takeMessages } from './testing/take-messages.ts';
import { useSession } from './testing/use-session.ts';
import { useTestServer } from './testing/use-test-server.ts';

/* docs/crypto-messages.md, "Own messages": an expert's message links to those that this expert has sent before, from whichever process. */

const server = useTestServer();
const session = useSession(server);
const root = makeRoot();
const approval = { type: 'object', properties: {} } as const;
const yes = { decision: { action: 'accept', content: {} } } as const;
let liar: LyingRelay;
let store: Store;

beforeEach(async () => {
  liar = await server.startLyingRelay();
  store = createMemoryStore();
});

const kinds = [
  { kind: 'key', open: (own: Store, at = {}): Expert => server.expert({ root, store: own, ...at }) },
  { kind: 'session', open: (own: Store, at = {}): Expert => session.expert({ root, store: own, ...at }) },
] as const;

/** A relay that leaves out a message of each list. */
const hide = (hidden: { readonly messageId: string }): Lie => ({
  answer(answer) {
    const { messages } = answer as { messages?: { messageId: string }[] };
    return messages
      ? { ...answer, messages: messages.filter(({ messageId }) => messageId !== hidden.messageId) }
      : answer;
  },
});

describe.each(kinds)('an expert by $kind', ({ kind, open }) => {
  const agent = (url?: string) =>
    server.agent({ ...(url && { url }), ...(kind === 'session' && { apiKey: session.consumerKey }) });
  const ask = () => agent(liar.url).ask({ question: 'May I delete PRODUCTION?', form: approval });

  test.each<[string, (first: Expert, request: ExpertRequest, id: string) => Promise<ExpertRequest>]>([
    ['the same object', async (_expert, request) => request],
    ['another object of this process', (expert, _request, id) => expert.request(id)],
    ['another process with this store', (_expert, _request, id) => open(store).request(id)],
    ['another device', (_expert, _request, id) => open(createMemoryStore()).request(id)],
  ])('links to its earlier message, sent by: %s', async (_, next) => {
    const conversation = await ask();
    const expert = open(store);
    const request = await expert.request(conversation.requestId);
    const first = await request.answer('Only after the backup! Not before.');
    const later = await next(expert, request, conversation.requestId);
    await later.answer('ok', yes);
    liar.tell(hide(first));
    await expect(conversation.waitForDecision()).rejects.toMatchObject({ reason: 'message_missing' });
  });

  test('also one that was opened before the first message was sent', async () => {
    const conversation = await ask();
    const expert = open(store);
    const [one, other] = [
      await expert.request(conversation.requestId),
      await expert.request(conversation.requestId),
    ];
    const first = await one.answer('Only after the backup!');
    await other.answer('ok', yes);
    liar.tell(hide(first));
    await expect(conversation.waitForDecision()).rejects.toMatchObject({ reason: 'message_missing' });
  });

  test('does not link to one that followed a message of the agent that was not shown here', async () => {
    const conversation = await ask();
    const phone = await open(createMemoryStore()).request(conversation.requestId);
    await phone.pickUp();
    await conversation.refresh();
    await conversation.send('WAIT: with the backups?');
    await phone.refresh();
    await takeMessages(phone);
    const shown = await phone.answer('Never the backups.');
    const laptop = await open(store).request(conversation.requestId);
    await expect(laptop.answer('ok', yes)).rejects.toMatchObject({ code: 'newer_message' });
    expect(pendingTexts(laptop, 'held')).toEqual(['ok']);
    await laptop.answer('ok', { messageId: laptop.pending[0]?.messageId, evenIfNewer: true });
    liar.tell(hide(shown));
    // It counts for nothing: the agent knows that it had not seen the last message.
    await expect(conversation.waitForDecision({ timeoutMs: 300 })).rejects.toMatchObject({ code: 'timeout' });
  });

  test('stops when the list lacks one of this store', async () => {
    const conversation: Conversation<unknown> = await ask();
    const request = await open(store, { url: liar.url }).request(conversation.requestId);
    await request.answer('First of all:');
    const last = await request.answer('Only after the backup!');
    liar.tell(hide(last));
    const later = await open(store, { url: liar.url }).request(conversation.requestId);
    expect(later.refused?.reason).toBe('message_missing');
    await expect(later.answer('ok', yes)).rejects.toMatchObject({ reason: 'message_missing' });
  });

  test('stops also when another object of this process has sent it meanwhile', async () => {
    const conversation: Conversation<unknown> = await ask();
    const expert = open(store, { url: liar.url });
    const [one, other] = [
      await expert.request(conversation.requestId),
      await expert.request(conversation.requestId),
    ];
    await one.answer('First of all:');
    liar.tell(hide(await one.answer('Only after the backup!')));
    await expect(other.answer('ok', yes)).rejects.toMatchObject({ reason: 'message_missing' });
  });

  // Of a session's answers, one is stored at a time.
  if (kind === 'session') return;
  test('stops also when two processes have stored theirs in the same moment', async () => {
    const conversation: Conversation<unknown> = await ask();
    const first = await open(store).request(conversation.requestId);
    await first.pickUp();
    const sent: { readonly messageId: string }[] = [];
    const write = async (name: string) => {
      if (sent.length === 0 && /:(request|ends):/.test(name)) {
        sent.push({ messageId: '' });
        sent[0] = await first.answer('Only after the backup!');
      }
    };
    const racing: Store = {
      ...store,
      set: async (name, value) => void ((await write(name)) ?? (await store.set(name, value))),
      remember: async (name, value) => (await write(name)) ?? (await store.remember(name, value)),
    };
    const second = await open(racing).request(conversation.requestId);
    sent.length = 0;
    await second.answer('And tell me.');
    liar.tell(hide(sent[0] ?? { messageId: '' }));
    const later = await open(store, { url: liar.url }).request(conversation.requestId);
    expect(later.refused?.reason).toBe('message_missing');
  });
});

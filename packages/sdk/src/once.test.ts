import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@expert-relay/testkit';
import { afterAll, describe, expect, test } from '@jest/globals';
import { makeRoot, onceId } from './crypto/index.ts';
import type { Conversation, Question, RelayOptions } from './index.ts';
import { createFileStore } from './node/index.ts';
import { quick } from './testing/quick.ts';
import { takeMessages } from './testing/take-messages.ts';
import { useTestServer } from './testing/use-test-server.ts';

/* Each test has questions with names of its own, so they run at the same time. */

const server = useTestServer();
const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const root = makeRoot();
const secret = makeRoot();
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function makeFolder(): string {
  const folder = join(mkdtempSync(join(tmpdir(), 'relay-store-')), 'state');
  folders.push(folder);
  return folder;
}

const askedWith = async (question: string) =>
  (await server.agent().requests()).filter((one) => one.question === question).length;

/** A process that is killed at the first call to this path, before or after the relay has taken it. */
function killedAt(path: string, when: 'before' | 'after'): RelayOptions['fetch'] {
  return async (input, init) => {
    if (init?.method !== 'POST' || !String(input).includes(path)) return await fetch(input, init);
    if (when === 'after') await (await fetch(input, init)).text();
    throw new TypeError('The process was killed here.');
  };
}
const once = { patienceMs: 0 };

/** What a later process has: its store is new in any case. */
const laterProcesses = ['the store', 'the secret alone'] as const;

type Kind = 'in clear' | 'confidential' | 'with a form' | 'confidential, with a form' | 'in plain text';
const kinds: Readonly<Record<Kind, Partial<Question>>> = {
  'in clear': {},
  confidential: { confidential: true },
  'with a form': { form: { type: 'object', properties: {} } },
  'confidential, with a form': { confidential: true, form: { type: 'object', properties: {} } },
  'in plain text': { encrypted: false },
};
const table = (Object.keys(kinds) as Kind[]).flatMap((kind) => laterProcesses.map((has) => ({ kind, has })));

/** The agents of several processes: with one folder, or with a new one each. */
function processes(has: (typeof laterProcesses)[number]) {
  const folder = makeFolder();
  return (options: Partial<RelayOptions> = {}) =>
    server.agent({
      acceptUnprotected: true,
      ...(has === 'the store' ? { store: createFileStore(folder) } : { secret }),
      ...options,
    });
}

async function answerIt(conversation: Conversation, kind: Kind): Promise<void> {
  const request = await server.expert({ root }).request(conversation.requestId);
  if (kind === 'in plain text') return void (await request.answer('Yes.', { plaintext: true }));
  await request.pickUp();
  // A confidential question is sent while the agent waits.
  await conversation.refresh();
  await request.refresh();
  await takeMessages(request);
  const form = request.form;
  const decision = form && { action: 'accept' as const, content: {}, of: form.of };
  await request.answer('Yes.', decision ? { decision } : {});
}

const waitFor = async (conversation: Conversation, kind: Kind): Promise<string> =>
  kind.endsWith('a form')
    ? (await conversation.waitForDecision({ timeoutMs: 60_000 })).comment
    : (await conversation.waitForAnswer({ timeoutMs: 60_000 })).text;

describe('a question with a name', () => {
  test.concurrent.each(table)(
    '$kind is asked once, and a process with $has goes on',
    async ({ kind, has }) => {
      const start = processes(has);
      const question = `May I, ${kind}, with ${has}?`;
      const asking = { ...kinds[kind], question, once: question };
      const expected = { reason: 'unreachable' };
      await expect(
        start({ fetch: killedAt('/help', 'before'), timing: once }).ask(asking),
      ).rejects.toMatchObject(expected);
      await expect(
        start({ fetch: killedAt('/help', 'after'), timing: once }).ask(asking),
      ).rejects.toMatchObject(expected);
      const first = await start().ask(asking);
      await answerIt(first, kind);
      const second = await start().ask(asking);
      expect(second.requestId).toBe(first.requestId);
      expect(await waitFor(second, kind)).toBe('Yes.');
      // It was read, and nothing says that this process has used it.
      const third = await start().ask(asking);
      expect(await waitFor(third, kind)).toBe('Yes.');
      expect((await third.messages()).map(({ from, text }) => [from, text])).toEqual([
        ...(asking.confidential ? [['agent', question]] : []),
        ['expert', 'Yes.'],
      ]);
      await third.close();
      const fourth = await start().ask(asking);
      const result = await waitFor(fourth, kind).catch(({ code }) => code);
      // An agent that closes has used its answer. A decision stays.
      const isUsed = has === 'the store' && !kind.endsWith('a form');
      expect(result).toBe(isUsed ? 'closed' : 'Yes.');
      expect(fourth.status).toBe('closed');
      if (!asking.confidential) expect(await askedWith(question)).toBe(1);
    },
  );

  test.concurrent.each(table)(
    '$kind is asked once by two processes at the same time, with $has',
    async ({ kind, has }) => {
      const start = processes(has);
      const question = `May we, ${kind}, with ${has}?`;
      const asking = { ...kinds[kind], question, once: question };
      const both = await Promise.all([start().ask(asking), start().ask(asking)]);
      const [one, other] = both as [Conversation, Conversation];
      expect(other.requestId).toBe(one.requestId);
      const request = await server.expert({ root }).request(one.requestId);
      if (kind !== 'in plain text') await request.pickUp();
      await Promise.all(both.map((conversation) => conversation.refresh()));
      expect(both.map(({ unsent }) => unsent)).toEqual([[], []]);
      await answerIt(one, kind);
      expect(await Promise.all(both.map((conversation) => waitFor(conversation, kind)))).toEqual([
        'Yes.',
        'Yes.',
      ]);
      await Promise.all(
        both.map((conversation) => conversation.send(`Thanks from ${conversation === one}.`)),
      );
      expect(await takeTexts(one)).toHaveLength(asking.confidential ? 4 : 3);
    },
  );

  const takeTexts = async (conversation: Conversation) => await conversation.messages();

  const file = (text: string) => ({
    name: 'plan.sh',
    mediaType: 'text/plain',
    bytes: new TextEncoder().encode(text),
  });
  const others: Record<string, [Partial<Question>, Partial<Question>]> = {
    question: [{}, { question: 'Another?' }],
    context: [{}, { messages: [{ role: 'user', content: 'The deploy hangs.' }] }],
    form: [{}, { form: { type: 'object', properties: {} } }],
    'confidential question': [{ confidential: true }, { confidential: true, question: 'Another?' }],
    'confidential form': [
      { confidential: true },
      { confidential: true, form: { type: 'object', properties: {} } },
    ],
    file: [{ files: [file('rm -rf /tmp/cache')] }, { files: [file('rm -rf /srv')] }],
    lifetime: [{}, { expiresInMs: 3_600_000 }],
    'list of tags': [{ tags: ['staging'] }, { tags: ['production'] }],
    'confidential context': [
      { confidential: true },
      { confidential: true, messages: [{ role: 'user', content: 'The deploy hangs.' }] },
    ],
    'confidential file': [
      { confidential: true, files: [file('rm -rf /tmp/cache')] },
      { confidential: true, files: [file('rm -rf /srv')] },
    ],
    protection: [{}, { confidential: true }],
    'text in clear': [{ encrypted: false }, { encrypted: false, question: 'Another?' }],
  };
  const reused = Object.keys(others).flatMap((what) => laterProcesses.map((has) => ({ what, has })));

  test.concurrent.each(reused)(
    'is not used for another $what, as a process with $has finds',
    async ({ what, has }) => {
      const start = processes(has);
      const [first = {}, second = {}] = others[what] ?? [];
      const asking = { question: 'The first?', once: `another ${what}, ${has}` };
      const conversation = await start().ask({ ...asking, ...first });
      const request = await server.expert({ root }).request(conversation.requestId);
      if (first.encrypted !== false) await request.pickUp();
      await conversation.refresh();
      await request.refresh();
      await takeMessages(request);
      await request.answer('Yes.', first.encrypted === false ? { plaintext: true } : {});
      const run = async () => {
        const again = await start().ask({ ...asking, ...second });
        await again.waitForAnswer({ timeoutMs: 60_000 });
      };
      await expect(run()).rejects.toMatchObject({ code: 'once_reused' });
      const texts = (await conversation.messages()).map(({ text }) => text).filter(Boolean);
      expect(texts).toEqual(first.confidential ? ['The first?', 'Yes.'] : ['Yes.']);
    },
  );

  test.concurrent('is refused with another secret, and without one', async () => {
    const asking = { question: 'Secretly?', once: 'secrets' };
    await server.agent({ secret }).ask(asking);
    await expect(server.agent({ secret: makeRoot() }).ask(asking)).rejects.toMatchObject({
      code: 'once_reused',
    });
    const invalid = { code: 'invalid_input' };
    await expect(server.agent().ask(asking)).rejects.toMatchObject(invalid);
    await expect(server.agent({ secret: 'short' }).ask(asking)).rejects.toMatchObject(invalid);
    await expect(server.agent({ secret: makeRoot().subarray(1) }).ask(asking)).rejects.toMatchObject(invalid);
    await expect(server.agent({ secret }).ask({ ...asking, once: '' })).rejects.toMatchObject(invalid);
    const hex = Buffer.from(secret).toString('hex');
    for (const text of [hex, Buffer.from(secret).toString('base64')])
      await server.agent({ secret: text }).ask(asking);
    expect(await askedWith('Secretly?')).toBe(1);
  });

  test.concurrent('can be waited for again after a timeout, and stays open after the decision', async () => {
    const store = createFileStore(makeFolder());
    const asking = { once: 'deploy' };
    const relay = () => server.agent({ store });
    await expect(relay().approve('Deploy?', { ...asking, timeoutMs: 50 })).rejects.toMatchObject({
      code: 'timeout',
    });
    const waiting = relay().approve('Deploy?', { ...asking, timeoutMs: 60_000 });
    // The first call may have ended before the relay had the question.
    const requestId = await eventually(
      'the request',
      async () => (await relay().conversations())[0]?.request?.requestId,
    );
    const request = await server.expert({ root }).request(requestId);
    const of = request.form?.of ?? '';
    await request.answer('Not today.', { decision: { action: 'decline', of } });
    expect(await waiting).toMatchObject({ approved: false, comment: 'Not today.' });
    const again = await relay().approve('Deploy?', { ...asking, timeoutMs: 60_000 });
    expect(again).toMatchObject({ approved: false, comment: 'Not today.' });
    await again.conversation.send('And tomorrow?');
    await request.answer('Tomorrow, yes.', { evenIfNewer: true });
    const answer = await again.conversation.waitForAnswer({ timeoutMs: 60_000, includeEarly: true });
    expect(answer.text).toBe('Tomorrow, yes.');
    await again.conversation.close();
    expect(await relay().approve('Deploy?', asking)).toMatchObject({ comment: 'Not today.' });
    expect(await relay().conversations()).toEqual([]);
  });

  test.concurrent.each(['abort', 'stop'] as const)(
    'is not sent on after %s: later calls need not wait for it',
    async (how) => {
      let posts = 0;
      let isDown = true;
      const failing: typeof fetch = async (input, init) => {
        if (init?.method !== 'POST' || !String(input).includes('/message/') || !isDown)
          return await fetch(input, init);
        posts += 1;
        throw new TypeError('The network is down.');
      };
      // The next attempt is far away.
      const timing = { ...quick, backoffMs: 1e7, maxBackoffMs: 1e7, patienceMs: 1e9 };
      const relay = server.agent({ secret, fetch: failing, timing, random: () => 1 });
      const question = `May I, until ${how}?`;
      const conversation = await relay.ask({ question, confidential: true, once: question });
      const request = await server.expert({ root }).request(conversation.requestId);
      await request.pickUp();
      const ended = new AbortController();
      const sending =
        how === 'abort' ? conversation.refresh({ signal: ended.signal }) : conversation.waitForAnswer();
      sending.catch(() => {});
      await eventually('an attempt', () => posts > 0);
      if (how === 'abort') ended.abort();
      else relay.stop();
      await expect(sending).rejects.toMatchObject({ code: 'aborted' });
      isDown = false;
      await conversation.refresh();
      expect(conversation.unsent).toEqual([]);
    },
  );

  test.concurrent('has the id of docs/crypto-keys.md', async () => {
    const [, id] =
      /For the name `deploy 4711` it is `([^`]+)`/.exec(read('../../../docs/crypto-keys.md')) ?? [];
    expect(await onceId('deploy 4711')).toBe(id);
  });
});

describe('a file store', () => {
  const conversationFile = (id: string) => `conversation.${id}.value`;

  test('has files that only this user can read, one for each conversation', async () => {
    const folder = makeFolder();
    const store = createFileStore(folder);
    const relay = server.agent({ store });
    const conversation = await relay.ask({ question: 'Who may read it?', once: 'files' });
    const { id } = conversation;
    expect(readdirSync(folder)).toEqual(expect.arrayContaining([conversationFile(id), 'secret.value']));
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    expect(await relay.conversations()).toMatchObject([{ id }]);
    // Another process has the same secret.
    expect(await createFileStore(folder).get('secret')).toEqual(await store.get('secret'));
    await conversation.close();
    expect((await relay.resume(id)).status).toBe('closed');
    await relay.forget(id);
    await expect(relay.resume(id)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('says what is wrong with a file, and follows no path', async () => {
    const folder = makeFolder();
    const store = createFileStore(folder);
    const relay = server.agent({ store });
    const id = crypto.randomUUID();
    await store.set(`conversation:${id}`, '{"version": 1');
    await expect(relay.resume(id)).rejects.toThrow(`The stored conversation ${id} is damaged`);
    await store.set(`conversation:${id}`, JSON.stringify({ version: 1, id }));
    await expect(relay.resume(id)).rejects.toThrow('Another version of the SDK saved this');
    await relay.forget(id);
    await store.set('secret', 'AAAA');
    await expect(relay.ask({ question: 'May I?', once: 'changed' })).rejects.toThrow('put it back');
    for (const path of ['../secret', `${id}/../x`, '']) {
      await expect(relay.resume(path)).rejects.toMatchObject({ code: 'not_found' });
      await relay.forget(path);
    }
    expect(readdirSync(folder)).toEqual(['secret.value']);
    await expect(store.set('n'.repeat(300), '')).rejects.toMatchObject({ code: 'invalid_input' });
  });

  test('lists the other conversations although a file is damaged', async () => {
    const folder = makeFolder();
    const relay = server.agent({ store: createFileStore(folder) });
    const { id } = await relay.ask({ question: 'Intact?' });
    writeFileSync(join(folder, conversationFile(crypto.randomUUID())), '{"version": 1');
    writeFileSync(join(folder, conversationFile(crypto.randomUUID())), Buffer.from([0xff, 0xfe]));
    writeFileSync(join(folder, '100% mine.json'), 'of another program');
    expect(await relay.conversations()).toMatchObject([{ id }]);
  });

  test('keeps nothing of a conversation for longer than a month', async () => {
    const folder = makeFolder();
    const store = createFileStore(folder);
    const { relay, expert } = { relay: server.agent({ store }), expert: server.expert({ root, store }) };
    const form = { type: 'object', properties: {} } as const;
    const decided = await relay.ask({
      question: 'Which kinds are stored?',
      confidential: true,
      form,
      once: 'kinds',
    });
    const waiting = decided.waitForDecision({ timeoutMs: 60_000 });
    const request = await expert.request(decided.requestId);
    await request.receive();
    await expert.markShown(request.requestId);
    await request.answer('Yes.', { decision: { action: 'accept', content: {}, of: request.form?.of ?? '' } });
    await waiting;
    await (await relay.ask({ question: 'And this?', form })).close();
    expect((await store.names('')).length).toBeGreaterThan(10);
    const month = Date.now() / 1_000 - 34 * 86_400;
    for (const name of readdirSync(folder)) utimesSync(join(folder, name), month, month);
    const later = createFileStore(folder);
    await later.set('root', 'of a bot');
    const left = (await later.names('')).map((name) => name.split(':').find((word) => /^[a-z]+$/.test(word)));
    expect([...new Set(left)].sort()).toEqual(['expert', 'root', 'secret']);
  });

  test('removes the conversations that were not written for a month, and nothing else', async () => {
    const folder = makeFolder();
    const old = createFileStore(folder);
    const names = ['conversation:1', 'key:expert', 'here:expert:0', 'secret', 'root', 'here:code:HS-1'];
    for (const name of names) await old.set(name, name);
    writeFileSync(join(folder, 'notes.json'), 'of another program');
    // One that cannot be removed keeps no others.
    mkdirSync(join(folder, conversationFile('2')));
    const month = Date.now() / 1_000 - 34 * 86_400;
    for (const name of readdirSync(folder)) utimesSync(join(folder, name), month, month);
    const store = createFileStore(folder);
    for (const value of ['1', '2']) {
      await store.set('conversation:3', value);
      expect(await store.get('conversation:3')).toBe(value);
    }
    const left = ['conversation:2', 'conversation:3', 'here:expert:0', 'key:expert', 'root', 'secret'];
    expect([...(await store.names(''))].sort()).toEqual(left);
    expect(readdirSync(folder)).toContain('notes.json');
  });
});

import { randomUUID } from 'node:crypto';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { setImmediate as pause } from 'node:timers/promises';
import type { Party, Query } from '@expert-relay/db';
import { createLog } from '@expert-relay/kit/log';
import { eventually } from '@expert-relay/testkit';
import { expect, test } from '@jest/globals';
import type { Context } from '../context.ts';
import { listRequests } from './list-requests.ts';

/** The route with a database that answers when the test says so. */
function openRoute() {
  const answers: ((failure?: Error) => void)[] = [];
  const query = (() =>
    new Promise((resolve, reject) => {
      answers.push((failure) => (failure ? reject(failure) : resolve([])));
    })) as Query;
  const context: Context = {
    ...{ query, prisma: {} as never, log: createLog('test', { level: 'silent' }), conversationTtl: 0 },
    ...{ wakeOutbox: () => {}, noteKeyUse: () => {}, signStreamToken: async () => ({}) as never },
  };
  const route = listRequests(context);
  const list = (principal: Party, search: string) =>
    route.handle(
      {
        ...{ principal, callId: randomUUID(), params: {}, headers: {}, body: undefined },
        query: new URLSearchParams(search),
      },
      new ServerResponse(new IncomingMessage(new Socket())) as never,
    );
  /** Answers every statement, also those that begin after another one. */
  const answerAll = async () => {
    for (; answers.length > 0; await pause()) for (const answer of answers.splice(0)) answer();
  };
  return { answers, list, answerAll };
}

const userId = randomUUID();
const session = (): Party => ({ kind: 'session', userId, sessionId: randomUUID() });
const provider = (): Party => ({ kind: 'provider', userId, apiKeyId: randomUUID() });
const consumer = (user = userId): Party => ({ kind: 'consumer', userId: user, apiKeyId: randomUUID() });
const refused = { code: 'too_many_at_once', headers: { 'retry-after': '60' } };

test.each([
  ['a consumer key', 'status=closed', consumer],
  ['a consumer key', 'status=pending', consumer],
  ['a consumer key', 'filter=waiting', consumer],
  ['a consumer key', 'q=x', consumer],
  ['a provider key', 'q=x', provider],
  ['a provider key', 'q=x&filter=ended', provider],
  ['a session', 'q=x&status=closed', session],
])('%s may have three lists with %s under way, and its user four', async (_name, search, makeParty) => {
  const { answerAll, list } = openRoute();
  const party = makeParty();
  const running = [1, 2, 3].map(() => list(party, search));
  await expect(list(party, search)).rejects.toMatchObject(refused);
  running.push(list(session(), 'q=x'));
  for (const other of [session(), provider(), consumer()]) {
    await expect(list(other, 'q=y')).rejects.toMatchObject(refused);
  }
  // Another user, and lists that an index answers, are not limited.
  running.push(list(consumer(randomUUID()), search), list(party, ''), list(session(), 'status=closed'));

  await pause();
  await answerAll();
  for (const answer of await Promise.all(running)) expect(answer.status).toBe(200);
});

test('the scans of a user run one after another, and delay neither those of others nor other lists', async () => {
  const { answers, list, answerAll } = openRoute();
  const running = [list(session(), 'q=x'), list(provider(), 'q=x'), list(consumer(), 'status=closed')];
  // These come later, and their statements begin: so those of the scans before them would have begun, too.
  running.push(list(consumer(randomUUID()), 'q=x'), list(session(), ''));
  await eventually('three statements', () => answers.length >= 3);
  expect(answers).toHaveLength(3);
  for (const answer of answers.splice(0)) answer();
  await eventually('the second scan', () => answers.length > 0);
  running.push(list(consumer(randomUUID()), 'q=x'));
  await eventually('a later scan of another user', () => answers.length > 1);
  expect(answers).toHaveLength(2);
  await answerAll();
  await expect(Promise.all(running)).resolves.toHaveLength(6);
});

test.each([
  ['a consumer key', 'limit=2', consumer],
  ['a provider key', 'status=closed', provider],
  ['a session', 'filter=ended&status=expired', session],
  ['a session', '', session],
])('%s is not limited with the list %s', async (_name, search, makeParty) => {
  const { answers, list } = openRoute();
  const party = makeParty();
  const running = Array.from({ length: 50 }, () => list(party, search));
  for (const answer of answers.splice(0)) answer();
  await expect(Promise.all(running)).resolves.toHaveLength(50);
});

test('a scan that failed makes room for another one', async () => {
  const { answers, list, answerAll } = openRoute();
  const party = session();
  const running = [1, 2, 3].map(() => list(party, 'q=x'));
  await expect(list(party, 'q=x')).rejects.toMatchObject(refused);
  await pause();
  answers.shift()?.(new Error('Postgres is away'));
  await expect(running.shift()).rejects.toThrow('Postgres is away');
  running.push(list(party, 'q=x'));
  await pause();
  await answerAll();
  await expect(Promise.all(running)).resolves.toHaveLength(3);
});

import { describe, expect, test } from '@jest/globals';
import { encryptedContent, keyExchange, submission } from '../black-box/samples.ts';
import { useRelay } from '../black-box/use-relay.ts';

const setup = useRelay();
type Expert = Awaited<ReturnType<typeof setup.relay.signUp>>;

const idsIn = (body: { requests: { requestId: string }[] }) =>
  body.requests.map(({ requestId }) => requestId);
const list = async (user: Expert, query = '') => (await user.session.get(`/api/requests${query}`)).json;

async function sendMessage(
  party: Expert['consumer' | 'provider'],
  requestId: string,
  role: string,
): Promise<string> {
  const response = await party.post(`/api/v1/message/${requestId}`, { role, plaintext: 'x' });
  expect(response.status).toBe(201);
  return response.json.createdAt;
}

/** A user with one request in each state that the inbox shows, the oldest first. */
async function createRequests() {
  const user = await setup.relay.signUp();
  const create = async () => (await user.consumer.newRequest()).requestId;
  const [unanswered, followUp, answered, closedAtOnce, closed] = [
    await create(),
    await create(),
    await create(),
    await create(),
    await create(),
  ];
  for (const requestId of [followUp, answered, closed])
    await sendMessage(user.provider, requestId, 'provider');
  await sendMessage(user.consumer, followUp, 'consumer');
  for (const requestId of [closedAtOnce, closed]) await user.provider.post(`/api/v1/close/${requestId}`);
  return { user, requests: { unanswered, followUp, answered, closedAtOnce, closed } };
}

describe('GET /api/requests', () => {
  test('can be filtered by state and by several statuses, and /api/requests/counts counts each', async () => {
    const { user, requests } = await createRequests();
    const { unanswered, followUp, answered, closedAtOnce, closed } = requests;
    const expected = {
      '?filter=waiting': [followUp, unanswered],
      '?filter=answered': [answered],
      '?filter=ended': [closed, closedAtOnce],
      '?status=pending,responded': [followUp, answered, unanswered],
      '?status=closed,expired': [closed, closedAtOnce],
      '?status=pending,pending': [unanswered],
      '?filter=waiting&status=responded,closed': [followUp],
      '?filter=ended&status=pending': [],
    };
    for (const [query, ids] of Object.entries(expected)) expect(idsIn(await list(user, query))).toEqual(ids);
    const response = await user.session.get('/api/requests/counts');
    expect(response.json).toEqual({
      filters: { waiting: 2, answered: 1, ended: 2 },
      statuses: { pending: 1, responded: 2, closed: 2, expired: 0 },
      snoozed: 0,
    });
  });

  test('the newest activity is first; in a search, and in the list of an agent, the newest request', async () => {
    const { user, requests } = await createRequests();
    const { unanswered, followUp, answered, closedAtOnce, closed } = requests;
    const byActivity = [closed, closedAtOnce, followUp, answered, unanswered];
    const byCreation = [closed, closedAtOnce, answered, followUp, unanswered];
    expect(idsIn(await list(user))).toEqual(byActivity);
    expect(idsIn((await user.provider.get('/api/v1/requests')).json)).toEqual(byActivity);
    expect(idsIn((await user.consumer.get('/api/v1/requests')).json)).toEqual(byCreation);
    expect(idsIn(await list(user, '?q=which'))).toEqual(byCreation);
  });

  test('with a filter and a limit, pages contain each request once', async () => {
    const user = await setup.relay.signUp();
    const made: string[] = [];
    for (let count = 0; count < 5; count++) made.unshift((await user.consumer.newRequest()).requestId);
    for (const requestId of made.slice(1, 3)) {
      await sendMessage(user.provider, requestId, 'provider');
      await sendMessage(user.consumer, requestId, 'consumer');
    }
    const byActivity = [made[2], made[1], made[0], made[3], made[4]];
    const pages: string[][] = [];
    for (let query = '?filter=waiting&limit=2'; query; ) {
      const page = await list(user, query);
      pages.push(idsIn(page));
      query = page.next ? `?filter=waiting&limit=2&after=${page.next}` : '';
    }
    expect(pages).toEqual([byActivity.slice(0, 2), byActivity.slice(2, 4), byActivity.slice(4)]);
  });

  test('can be limited to one agent and to one tag, as can the counts, in each filter and in a search', async () => {
    const { user, requests } = await createRequests();
    const { keyId } = user.consumer;
    const tagged = (await user.consumer.newRequest({ tags: ['50% & more', 'later'] })).requestId;
    const all = [tagged, requests.closed, requests.closedAtOnce, requests.followUp, requests.answered];
    const expected = {
      [`keyId=${keyId}`]: [...all, requests.unanswered],
      [`keyId=${keyId.toUpperCase()}&filter=answered`]: [requests.answered],
      'tag=later': [tagged],
      [`tag=${encodeURIComponent('50% & more')}&q=which&keyId=${keyId}`]: [tagged],
      'tag=late': [],
      'tag=Later': [],
      'tag=later&filter=ended': [],
    };
    for (const [query, ids] of Object.entries(expected))
      expect(idsIn(await list(user, `?${query}`))).toEqual(ids);
    const counts = async (query: string) => (await user.session.get(`/api/requests/counts?${query}`)).json;
    expect(await counts(`keyId=${keyId}`)).toMatchObject({ filters: { waiting: 3, answered: 1, ended: 2 } });
    expect(await counts('tag=later')).toMatchObject({
      filters: { waiting: 1, answered: 0, ended: 0 },
      statuses: { pending: 1, responded: 0, closed: 0, expired: 0 },
    });
    expect((await user.session.get('/api/requests/counts?keyId=x')).status).toBe(400);
  });

  test('has nothing for the agent of another user, whose tags match nothing either', async () => {
    const [alice, bob] = [await setup.relay.signUp(), await setup.relay.signUp()];
    await alice.consumer.newRequest({ tags: ['secret plan'] });
    for (const query of [
      `keyId=${alice.consumer.keyId}`,
      `keyId=${crypto.randomUUID()}`,
      'tag=secret%20plan',
    ])
      for (const path of ['/api/requests', '/api/requests/counts']) {
        const { status, json } = await bob.session.get(`${path}?${query}`);
        expect(status).toBe(200);
        expect(json).toMatchObject(
          path.endsWith('counts') ? { filters: { waiting: 0, answered: 0, ended: 0 } } : { requests: [] },
        );
      }
    expect(idsIn((await alice.consumer.get('/api/v1/requests?tag=secret%20plan')).json)).toHaveLength(1);
  });

  test('each request has its agent, whose turn it is, and the time of its last activity', async () => {
    const user = await setup.relay.signUp();
    const row = async () => (await list(user)).requests[0];
    const { requestId } = await user.consumer.newRequest(submission());
    const first = await row();
    expect(first).toMatchObject({
      agent: { keyId: user.consumer.keyId, name: expect.any(String) },
      encrypted: true,
      pickedUp: false,
      turn: 'expert',
      messageCount: 0,
    });
    expect(first.lastActivityAt).toBe(first.createdAt);

    await user.provider.post(`/api/v1/key-exchange/${requestId}`, keyExchange());
    expect(await row()).toEqual({ ...first, pickedUp: true });
    const sent = await user.session.post(`/api/requests/${requestId}/messages`, encryptedContent());
    expect(await row()).toMatchObject({
      turn: 'agent',
      messageCount: 1,
      lastActivityAt: sent.json.createdAt,
    });
    const asked = await sendMessage(user.consumer, requestId, 'consumer');
    expect(await row()).toMatchObject({ turn: 'expert', messageCount: 2, lastActivityAt: asked });
    const { closedAt } = (await user.session.post(`/api/requests/${requestId}/close`)).json;
    expect(await row()).toMatchObject({ turn: 'expert', lastActivityAt: closedAt });
  });

  test('a request without keys is not encrypted', async () => {
    const user = await setup.relay.signUp();
    const [consumerSignPubKey, consumerEncryptPubKey] = [null, null];
    await user.consumer.newRequest({ plaintext: 'x', consumerSignPubKey, consumerEncryptPubKey });
    expect((await list(user)).requests[0]).toMatchObject({ encrypted: false, pickedUp: false });
  });

  test('the search finds reference codes as people type them, and words of the question in any case', async () => {
    const user = await setup.relay.signUp();
    await user.consumer.newRequest({ question: 'Is 50% of O\\O_1 enough?' });
    const { requestId, refCode } = await user.consumer.newRequest({ question: 'Which PLAN?' });
    const code: string = refCode.slice(3);
    const typed = [
      ...[refCode, code, refCode.toLowerCase(), code.toLowerCase(), ` ${refCode}\n`, `hs-${code}`],
      ...[code.replaceAll('0', 'o').replaceAll('1', 'l'), code.replaceAll('0', 'O').replaceAll('1', 'I')],
      ...['which', 'plan', 'H PLAN?'],
    ];
    for (const q of typed) {
      expect(idsIn(await list(user, `?q=${encodeURIComponent(q)}`))).toEqual([requestId]);
    }
    for (const q of ['%', '_', 'WHI%PLAN', `${code}0`, code.slice(1), '\\', '.*']) {
      expect(idsIn(await list(user, `?q=${encodeURIComponent(q)}`))).not.toContain(requestId);
    }
    for (const filter of ['filter=waiting', 'status=pending,closed']) {
      expect(idsIn(await list(user, `?q=which&${filter}`))).toEqual([requestId]);
    }
    expect(idsIn(await list(user, '?q=which&filter=answered'))).toEqual([]);
  });
});

test('GET /api/requests/:requestId with a limit: only the first page has question and context', async () => {
  const user = await setup.relay.signUp();
  const { requestId } = await user.consumer.newRequest({
    question: 'Q?',
    messages: [{ role: 'user', content: 'C' }],
  });
  for (let count = 0; count < 3; count++) await sendMessage(user.provider, requestId, 'provider');
  const path = `/api/requests/${requestId}?limit=2`;
  const { json: first } = await user.session.get(path);
  expect(first).toMatchObject({
    question: 'Q?',
    context: [{ role: 'user', content: 'C' }],
    plaintext: null,
    agent: { keyId: user.consumer.keyId, name: expect.any(String) },
  });
  const { json: second } = await user.session.get(`${path}&after=${first.next}`);
  const { question, context, plaintext, messages, next, ...head } = first;
  expect(second).toEqual({ ...head, messages: [expect.objectContaining({ seq: next + 1 })] });
  expect(messages).toHaveLength(2);

  // In v1 every page has them, since the SDK verifies each page separately.
  const asKey = await user.provider.get(`/api/v1/messages/${requestId}?after=${next}`);
  expect(asKey.json).toMatchObject({ question, context, plaintext });
  expect(asKey.json).not.toHaveProperty('agent');
});

test('with its content, a list has what the agent has written since the answer', async () => {
  const { user, requests } = await createRequests();
  const newest = async () => {
    const { requests: rows } = await list(user, '?content=true');
    return rows.find(({ requestId }: { requestId: string }) => requestId === requests.followUp).newestMessage;
  };
  expect(await newest()).toMatchObject({ role: 'consumer', plaintext: 'x' });
  const encrypted = encryptedContent();
  await user.consumer.post(`/api/v1/message/${requests.followUp}`, { role: 'consumer', ...encrypted });
  expect(await newest()).toMatchObject({ role: 'consumer', ...encrypted });
  await user.consumer.post(`/api/v1/message/${requests.followUp}`, {
    role: 'consumer',
    plaintext: 'x'.repeat(5_000),
  });
  expect(await newest()).toBeUndefined();
  await sendMessage(user.consumer, requests.followUp, 'consumer');
  expect(await newest()).toMatchObject({ plaintext: 'x' });
  await sendMessage(user.provider, requests.followUp, 'provider');
  expect(await newest()).toBeUndefined();
});

describe('triage', () => {
  const at = (user: Expert, requestId: string) => ({
    row: async () =>
      (await list(user)).requests.find((one: { requestId: string }) => one.requestId === requestId),
    counts: async () => (await user.session.get('/api/requests/counts')).json,
    settle: (seenUntil: string) => user.session.post(`/api/requests/${requestId}/settle`, { seenUntil }),
    snooze: (body: object) => user.session.put(`/api/requests/${requestId}/snooze`, body),
    wake: () => user.session.delete(`/api/requests/${requestId}/snooze`),
  });

  test('where there is nothing to answer, the request is among the answered ones until the agent writes', async () => {
    const { user, requests } = await createRequests();
    const { row, counts, settle } = at(user, requests.followUp);
    const { lastActivityAt } = await row();
    const before = new Date(Date.parse(lastActivityAt) - 1).toISOString();
    expect((await settle(before)).json).toMatchObject({ status: 409, error: 'agent_has_written' });
    expect((await row()).turn).toBe('expert');
    for (let call = 0; call < 2; call++) {
      const response = await settle(lastActivityAt);
      expect(response.status).toBe(200);
      expect(response.json).toMatchObject({ requestId: requests.followUp, turn: 'agent' });
    }
    expect(await row()).toMatchObject({ turn: 'agent', lastActivityAt });
    expect((await counts()).filters).toMatchObject({ waiting: 1, answered: 2 });
    await sendMessage(user.consumer, requests.followUp, 'consumer');
    expect((await counts()).filters).toMatchObject({ waiting: 2, answered: 1 });
  });

  test('before the first answer, and after the end, nothing can be settled', async () => {
    const { user, requests } = await createRequests();
    const { lastActivityAt } = await at(user, requests.unanswered).row();
    const refused = await at(user, requests.unanswered).settle(lastActivityAt);
    expect(refused.json).toMatchObject({ status: 409, error: 'not_answered' });
    const ended = at(user, requests.closed);
    const now = new Date().toISOString();
    for (const response of [
      await ended.settle(now),
      await ended.snooze({ seenUntil: now }),
      await ended.wake(),
    ])
      expect(response.json).toMatchObject({ status: 409, error: 'conversation_closed' });
  });

  test('a snooze lasts until its time, until the agent writes, or until it is ended; the agent does not learn of it', async () => {
    const { user, requests } = await createRequests();
    const { row, counts, snooze, wake } = at(user, requests.unanswered);
    const { lastActivityAt: seenUntil, expiresAt } = await row();
    const until = new Date(Date.now() + 3_600_000).toISOString();
    expect((await snooze({ seenUntil, until })).json).toMatchObject({ turn: 'expert', snoozedUntil: until });
    expect(await row()).toMatchObject({ turn: 'expert', snoozedUntil: until, lastActivityAt: seenUntil });
    expect(await counts()).toMatchObject({ filters: { waiting: 2 }, snoozed: 1 });
    const { requests: ofAgent } = (await user.consumer.get('/api/v1/requests')).json;
    for (const one of ofAgent) expect(one).not.toHaveProperty('snoozedUntil');

    expect((await snooze({ seenUntil })).json.snoozedUntil).toBe(expiresAt);
    await sendMessage(user.consumer, requests.unanswered, 'consumer');
    expect(await row()).not.toHaveProperty('snoozedUntil');
    expect((await snooze({ seenUntil })).json).toMatchObject({ status: 409, error: 'agent_has_written' });

    const now = (await row()).lastActivityAt;
    expect((await snooze({ seenUntil: now })).status).toBe(200);
    // Postgres would refuse this offset.
    const far = { seenUntil: now, until: '2999-12-31T23:59:59-23:59' };
    expect((await snooze(far)).json.snoozedUntil).toBe(expiresAt);
    for (const until of ['0000-01-01T00:00:00Z', '2026-02-30T00:00:00Z', 'tomorrow', 5])
      expect((await snooze({ seenUntil: now, until })).status).toBe(400);
    expect((await wake()).json).not.toHaveProperty('snoozedUntil');
    expect((await snooze({ seenUntil: now, until: new Date(Date.now() - 1_000).toISOString() })).status).toBe(
      200,
    );
    expect(await row()).not.toHaveProperty('snoozedUntil');
    expect(await counts()).toMatchObject({ snoozed: 0 });
  });
});

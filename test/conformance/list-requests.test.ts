import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { Caller } from '../black-box/caller.ts';
import { keyExchange } from '../black-box/samples.ts';
import { useRelay } from '../black-box/use-relay.ts';
import { row } from './contract.ts';

const setup = useRelay();
const idsIn = (body: { requests: { requestId: string }[] }) =>
  body.requests.map(({ requestId }) => requestId);

/** The callers that get the same list. */
const callers = [
  { name: 'a provider key', path: '/api/v1/requests', callerOf: (user: Expert): Caller => user.provider },
  { name: 'a session', path: '/api/requests', callerOf: (user: Expert): Caller => user.session },
  { name: 'a consumer key', path: '/api/v1/requests', callerOf: (user: Expert): Caller => user.consumer },
];
type Expert = Awaited<ReturnType<typeof setup.relay.signUp>>;

test(row('decisions', 'list by key'), async () => {
  const user = await setup.relay.signUp();
  const { requestId: first } = await user.consumer.newRequest();
  const { requestId: second } = await user.secondConsumer.newRequest();
  const { requestId: foreign } = await setup.bob.consumer.newRequest();
  expect(idsIn((await user.provider.get('/api/v1/requests')).json)).toEqual([second, first]);
  expect(idsIn((await user.session.get('/api/requests')).json)).toEqual([second, first]);
  expect(idsIn((await user.consumer.get('/api/v1/requests')).json)).toEqual([first]);
  expect(idsIn((await user.secondConsumer.get('/api/v1/requests')).json)).toEqual([second]);
  expect(idsIn((await setup.bob.provider.get('/api/v1/requests')).json)).toContain(foreign);
});

describe.each(callers)('the list of requests of $name', ({ path, callerOf }) => {
  test('with a limit, pages contain each request once, newest first', async () => {
    const user = await setup.relay.signUp();
    const made: string[] = [];
    for (let count = 0; count < 5; count++) made.unshift((await user.consumer.newRequest()).requestId);
    const pages: string[][] = [];
    let query = '?limit=2';
    for (let page = 0; page < 3; page++) {
      const { json } = await callerOf(user).get(path + query);
      pages.push(idsIn(json));
      query = `?limit=2&after=${json.next}`;
    }
    expect(pages).toEqual([made.slice(0, 2), made.slice(2, 4), made.slice(4)]);
    expect((await callerOf(user).get(`${path}?limit=5`)).json).not.toHaveProperty('next');
  });

  test('can be filtered by status', async () => {
    const user = await setup.relay.signUp();
    const [pending, responded, closed] = [
      await user.consumer.newRequest(),
      await user.consumer.newRequest(),
      await user.consumer.newRequest(),
    ];
    const reply = { role: 'provider', plaintext: 'x' };
    await user.provider.post(`/api/v1/message/${responded.requestId}`, reply);
    await user.provider.post(`/api/v1/close/${closed.requestId}`);
    const list = async (status: string) => idsIn((await callerOf(user).get(`${path}?status=${status}`)).json);
    expect(await list('pending')).toEqual([pending.requestId]);
    expect(await list('responded')).toEqual([responded.requestId]);
    expect(await list('closed')).toEqual([closed.requestId]);
    expect(await list('expired')).toEqual([]);
  });

  test('can be searched by a literal part of the question and by reference code', async () => {
    const user = await setup.relay.signUp();
    const { requestId, refCode } = await user.consumer.newRequest({ question: 'Is 100% of PLAN_B safe?' });
    await user.consumer.newRequest({ question: 'Is 1000 of PLANxB safe?' });
    const list = async (q: string) =>
      idsIn((await callerOf(user).get(`${path}?q=${encodeURIComponent(q)}`)).json);
    expect(await list('100%')).toEqual([requestId]);
    expect(await list('plan_b')).toEqual([requestId]);
    expect(await list(refCode.toLowerCase())).toEqual([requestId]);
    expect(await list("' OR true --")).toEqual([]);
  });

  test('shows the tags, and a search finds them', async () => {
    const user = await setup.relay.signUp();
    const { requestId } = await user.consumer.newRequest({ tags: ['Deploy EU', 'db'], question: undefined });
    await user.consumer.newRequest({ tags: ['other'] });
    const list = async (q: string) =>
      (await callerOf(user).get(`${path}?q=${encodeURIComponent(q)}`)).json.requests;
    expect(await list('deploy eu')).toEqual([
      expect.objectContaining({ requestId, tags: ['Deploy EU', 'db'] }),
    ]);
    for (const acrossTwo of ['eu db', 'eu\ndb', 'eudb', 'eu,db']) expect(await list(acrossTwo)).toEqual([]);
  });

  test('contains all that was submitted and the keys, if the call asks for it', async () => {
    const user = await setup.relay.signUp();
    const sent = {
      question: '🙈'.repeat(2_500),
      plaintext: 'in clear',
      messages: [{ role: 'user', content: 'It hangs.' }],
      agentName: 'deploy bot',
      agentVersions: '4',
    };
    const { requestId } = await user.consumer.newRequest(sent);
    await user.provider.post(`/api/v1/key-exchange/${requestId}`, {
      ...keyExchange(),
      keySignature: Buffer.alloc(97).toString('base64'),
    });
    await user.consumer.newRequest({ question: undefined });
    const without = (await callerOf(user).get(path)).json.requests;
    for (const query of ['', '?content=false'])
      expect((await callerOf(user).get(path + query)).json.requests).toEqual(without);

    const { requests, next } = (await callerOf(user).get(`${path}?content=true`)).json;
    expect(next).toBeUndefined();
    for (const [index, request] of requests.entries()) {
      const { messages, agent, ...whole } = (await user.provider.get(`/api/v1/messages/${request.requestId}`))
        .json;
      expect(request).toEqual({ ...without[index], ...whole });
    }
    expect(requests[1]).toMatchObject({
      question: sent.question,
      agentName: 'deploy bot',
      agentVersions: '4',
    });
    expect(requests[0]).not.toHaveProperty('agentName');
  });

  test('with content, a page ends with the request that makes it a megabyte', async () => {
    const user = await setup.relay.signUp();
    // Postgres compresses the first two, and not the third.
    const texts = ['x'.repeat(600_000), 'y'.repeat(600_000), randomBytes(420_000).toString('base64')];
    const made: string[] = [];
    for (const [index, content] of texts.entries()) {
      const members = index === 1 ? { messages: [{ role: 'user', content }] } : { plaintext: content };
      made.unshift((await user.consumer.newRequest(members)).requestId);
    }
    const pages: string[][] = [];
    for (let query = ''; pages.length < 3; ) {
      const { json } = await callerOf(user).get(`${path}?content=true${query}`);
      pages.push(idsIn(json));
      if (!json.next) break;
      query = `&after=${json.next}`;
    }
    expect(pages).toEqual([made.slice(0, 2), made.slice(2)]);
    expect(idsIn((await callerOf(user).get(path)).json)).toEqual(made);
  });

  test.each([
    ['äpfel', 'ÄPFEL oder Birnen?'],
    ['ÄPFEL', 'Zwei äpfel?'],
    ['STRASSE', 'Welche Straße?'],
    ['straße', 'WELCHE STRASSE?'],
    ['ЁЖИК', 'где ёжик?'],
    ['ΟΔΟΣ', 'Ποια οδος;'],
    ['οδοσ', 'Ποια οδος;'],
    ['Ǆ', 'ǆungla?'],
  ])('a search for %s ignores case and finds %s', async (q, question) => {
    const user = await setup.relay.signUp();
    const { requestId } = await user.consumer.newRequest({ question });
    await user.consumer.newRequest({ question: 'Apfel, Strase, ежик, odos, D?' });
    const { json } = await callerOf(user).get(`${path}?q=${encodeURIComponent(q)}`);
    expect(idsIn(json)).toEqual([requestId]);
  });

  const overflow = Buffer.from(`2026-02-30T00:00:00.000Z ${'A'.repeat(22)}`).toString('base64url');
  test.each([
    'status=open',
    'status=',
    'status=pending,open',
    'status=pending,,closed',
    'status=closed,',
    'status=pending,%20closed',
    'status=PENDING',
    'filter=open',
    'filter=',
    'filter=waiting,ended',
    'limit=1000000000',
    'limit=-1',
    'limit=0',
    'limit=201',
    'limit=x',
    'content=',
    'content=1',
    'after=x',
    'after=',
    `after=${overflow}`,
    'status=pending&status=closed',
    'keyId=',
    'keyId=x',
    'keyId=00000000-0000-0000-0000-000000000000%27--',
    'tag=',
    'tag=a%0Ab',
    `tag=${'x'.repeat(41)}`,
    'q=%00',
    `q=${'x'.repeat(201)}`,
  ])('?%s: 400', async (query) => {
    const response = await callerOf(setup.alice).get(`${path}?${query}`);
    expect(response.status).toBe(400);
    expect(response.json.fields).toEqual([
      { path: query.split('=')[0], code: expect.not.stringMatching('required'), message: expect.any(String) },
    ]);
  });
});

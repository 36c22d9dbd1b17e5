import { describe, expect, test } from '@jest/globals';
import { keyExchange, submission } from '../black-box/samples.ts';
import { useRelay } from '../black-box/use-relay.ts';
import { row } from './contract.ts';

const setup = useRelay();
const texts = (body: { messages: { plaintext: string }[] }) =>
  body.messages.map(({ plaintext }) => plaintext);

async function conversationOf(count: number) {
  const { requestId } = await setup.alice.consumer.newRequest();
  for (let number = 1; number <= count; number++) {
    await setup.alice.provider.post(`/api/v1/message/${requestId}`, {
      role: 'provider',
      plaintext: `${number}`,
    });
  }
  return {
    requestId,
    read: async (query = '') =>
      (await setup.alice.consumer.get(`/api/v1/messages/${requestId}${query}`)).json,
  };
}

describe(row('decisions', 'messages list'), () => {
  test('contains the request, its context, the keys and the messages', async () => {
    const sent = { ...submission(), plaintext: 'in clear' };
    const { requestId, refCode, expiresAt } = await setup.alice.consumer.newRequest(sent);
    const keys = keyExchange();
    await setup.alice.provider.post(`/api/v1/key-exchange/${requestId}`, keys);
    const { messages: context, ...rest } = sent;
    expect((await setup.alice.consumer.get(`/api/v1/messages/${requestId}`)).json).toEqual({
      requestId,
      refCode,
      status: 'pending',
      responseCount: 0,
      createdAt: expect.any(String),
      expiresAt,
      context,
      ...rest,
      ...keys,
      messages: [],
    });
  });

  test('members that were not sent are null', async () => {
    const { requestId } = await setup.alice.consumer.newRequest({
      consumerSignPubKey: undefined,
      consumerEncryptPubKey: undefined,
      question: undefined,
      plaintext: 'x',
    });
    expect((await setup.alice.consumer.get(`/api/v1/messages/${requestId}`)).json).toMatchObject({
      question: null,
      consumerSignPubKey: null,
      consumerEncryptPubKey: null,
      providerSignPubKey: null,
      providerEncryptPubKey: null,
    });
  });

  test('without parameters it contains all messages in the order of sending, with increasing seq', async () => {
    const { read } = await conversationOf(7);
    const whole = await read();
    expect(texts(whole)).toEqual(['1', '2', '3', '4', '5', '6', '7']);
    const seqs = whole.messages.map(({ seq }: { seq: number }) => seq);
    expect(seqs).toEqual([...seqs].sort((one, other) => one - other));
    expect(new Set(seqs).size).toBe(7);
    expect(whole).not.toHaveProperty('next');
  });

  test('with after and limit, pages contain each message once', async () => {
    const { read } = await conversationOf(7);
    const pages: string[][] = [];
    let after: number | undefined = 0;
    while (after !== undefined) {
      const page: { messages: { plaintext: string }[]; next?: number } = await read(
        `?after=${after}&limit=3`,
      );
      pages.push(texts(page));
      after = page.next;
    }
    expect(pages).toEqual([['1', '2', '3'], ['4', '5', '6'], ['7']]);
  });

  test('the last page has no next, and a page after the end is empty', async () => {
    const { read } = await conversationOf(2);
    expect(await read('?limit=2')).not.toHaveProperty('next');
    expect(await read('?after=999999999')).toMatchObject({ messages: [], responseCount: 2 });
  });

  test('both parties get the same response; a session also gets the agent', async () => {
    const { requestId, read } = await conversationOf(2);
    const { keyId } = setup.alice.consumer;
    expect((await setup.alice.provider.get(`/api/v1/messages/${requestId}`)).json).toEqual(await read());
    for (const query of ['', '?limit=1']) {
      const { json } = await setup.alice.session.get(`/api/requests/${requestId}${query}`);
      expect(json).toEqual({ ...(await read(query)), agent: { keyId, name: expect.any(String) } });
    }
  });

  test.each([
    'after=x',
    'after=-1',
    'after=1.5',
    'after=',
    'limit=0',
    'limit=-1',
    'limit=x',
    'limit=1e3',
    'after=1&after=2',
    'after=99999999999999999999',
    'after=%00',
  ])('?%s: 400', async (query) => {
    const { requestId } = await setup.alice.consumer.newRequest();
    const response = await setup.alice.consumer.get(`/api/v1/messages/${requestId}?${query}`);
    expect(response.status).toBe(400);
    expect(response.json.fields).toEqual([expect.objectContaining({ path: query.split('=')[0] })]);
  });

  test('fifty messages sent at once are all stored and counted, each with its own seq', async () => {
    const { requestId } = await setup.alice.consumer.newRequest();
    const send = (number: number) =>
      setup.alice.provider.post(`/api/v1/message/${requestId}`, { role: 'provider', plaintext: `${number}` });
    const responses = await Promise.all(Array.from({ length: 50 }, (_, number) => send(number)));
    expect(responses.every(({ status }) => status === 201)).toBe(true);
    const { messages, responseCount } = (await setup.alice.consumer.get(`/api/v1/messages/${requestId}`))
      .json;
    expect(responseCount).toBe(50);
    expect(new Set(messages.map(({ seq }: { seq: number }) => seq)).size).toBe(50);
  });
});

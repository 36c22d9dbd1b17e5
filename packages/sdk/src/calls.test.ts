import { eventually } from '@expert-relay/testkit';
import { describe, expect, test } from '@jest/globals';
import { makeRoot } from './crypto/index.ts';
import { createExpert, type ExpertEvent } from './expert/index.ts';
import { createRelay, RelayError } from './index.ts';
import { quick } from './testing/quick.ts';
import { useTestServer } from './testing/use-test-server.ts';

const server = useTestServer();

/** A fetch that records its calls. */
function counting() {
  const calls: string[] = [];
  const count = (part: string) => calls.filter((path) => path.includes(part)).length;
  const counted: typeof fetch = (input, init) => {
    calls.push(String(input));
    return fetch(input, init);
  };
  return { calls, count, fetch: counted };
}

describe('with 57 open conversations', () => {
  test('an agent that resumes them reads only those that have changed', async () => {
    const { consumerKey, providerKey } = await server.constellation.makeTenant();
    const url = server.gatewayUrl;
    const first = createRelay({ url, apiKey: consumerKey, timing: quick });
    const questions = Array.from({ length: 57 }, (_, index) => `Question ${index}?`);
    const asked = await Promise.all(questions.map((question) => first.ask({ question })));
    const expert = createExpert({ url, apiKey: providerKey, root: makeRoot(), timing: quick });
    const answer = async (index: number, text: string) =>
      await (await expert.request(asked[index]?.refCode ?? '')).answer(text);
    // This answer is read before the restart.
    await answer(3, 'Before.');
    expect((await asked[3]?.waitForAnswer({ timeoutMs: 60_000 }))?.text).toBe('Before.');
    const states = asked.map((conversation) => conversation.export());
    first.stop();
    await answer(5, 'Meanwhile.');
    await asked[7]?.close();

    const { calls, count, fetch } = counting();
    const relay = createRelay({
      url,
      apiKey: consumerKey,
      fetch,
      timing: { ...quick, pollMs: 30_000, recheckMs: 60_000, openingMs: 30_000, silenceMs: 60_000 },
    });
    const again = await Promise.all(states.map((state) => relay.resume(state)));
    const answers = again.map((one) =>
      one.waitForAnswer({ timeoutMs: 60_000 }).then(
        ({ text }) => text,
        (error: RelayError) => error.code,
      ),
    );
    expect(await answers[5]).toBe('Meanwhile.');
    expect(await answers[7]).toBe('closed');
    expect(await answers[7]).toBe('closed');
    await answer(11, 'Later.');
    expect(await answers[11]).toBe('Later.');
    // Calls for these three conversations, and none for each of the other 54.
    expect(count('/messages/')).toBeLessThan(54);
    expect(count('/requests?')).toBeLessThan(54);
    const read = calls.filter((path) => path.includes('/messages/')).map((path) => new URL(path).pathname);
    expect(new Set(read).size).toBeLessThanOrEqual(3);
    relay.stop();
    await Promise.all(answers);
    expert.stop();
  });

  test('an expert that follows events makes no call for each of them', async () => {
    const { consumerKey, providerKey } = await server.constellation.makeTenant();
    const url = server.gatewayUrl;
    const relay = createRelay({ url, apiKey: consumerKey });
    const asked = await Promise.all(
      Array.from({ length: 57 }, (_, index) =>
        relay.ask({ question: `Question ${index}?`, encrypted: false }),
      ),
    );
    const { calls, fetch } = counting();
    const timing = { openingMs: 60_000, silenceMs: 120_000 };
    const expert = createExpert({ url, apiKey: providerKey, fetch, timing });
    const events: ExpertEvent[] = [];
    const listening = (async () => {
      for await (const event of expert.events()) events.push(event);
    })();
    await eventually('the stream', () => events.length > 0);
    expect(events[0]).toEqual({ type: 'unknown', isMissed: true });
    expect(await expert.list({ status: 'pending' })).toHaveLength(57);
    for (const conversation of asked) await conversation.send('And?');
    await asked[0]?.close();
    await eventually('all events', () => events.some(({ type }) => type === 'request_closed'));
    expect(events.filter(({ type }) => type === 'new_message')).toHaveLength(57);
    expect(events.find(({ type }) => type === 'new_message')).toMatchObject({
      requestId: asked[0]?.requestId,
      from: 'agent',
    });
    // The hub's address, the key's user, the stream, one list. A busy relay may ask to repeat one of them.
    expect(new Set(calls.map((call) => new URL(call).pathname))).toEqual(
      new Set([
        '/.well-known/expert-relay',
        '/api/v1/requests',
        '/api/v1/whoami',
        new URL(calls.find((call) => call.includes('topic=')) ?? '').pathname,
      ]),
    );
    expect(calls.length).toBeLessThan(57);
    expert.stop();
    await expect(listening).rejects.toMatchObject({ code: 'aborted' });
    relay.stop();
  });
});

test('201 conversations share three streams', async () => {
  // A stream has up to 100 topics. So many calls take long on a busy machine; only events bring the answers.
  const count = 201;
  const timing = {
    ...quick,
    patienceMs: 200_000,
    callMs: 100_000,
    recheckMs: 200_000,
    openingMs: 30_000,
    silenceMs: 60_000,
  };
  const relay = server.agent({ timing });
  const conversations = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      relay.ask({ question: `Question ${index}`, encrypted: false }),
    ),
  );
  const answers = Promise.all(conversations.map((one) => one.waitForAnswer({ timeoutMs: 200_000 })));
  const streams = async () => {
    const text = await (await fetch(`${server.constellation.services.hub.opsUrl}/metrics`)).text();
    return [...text.matchAll(/^relay_hub_streams\{.*\} (\d+)$/gm)].reduce(
      (sum, [, open]) => sum + Number(open),
      0,
    );
  };
  await eventually('the streams', async () => (await streams()) >= 3);
  const open = await streams();
  const expert = server.expert({ timing });
  await Promise.all(
    conversations.map(async ({ requestId }, index) => {
      await (await expert.request(requestId)).answer(`Answer ${index}`);
    }),
  );
  expect((await answers).map(({ text }) => text)).toEqual(
    Array.from({ length: count }, (_, index) => `Answer ${index}`),
  );
  // A stream that is opened again may be counted twice for a while.
  expect(open).toBeLessThanOrEqual(4);
});

describe('an outage', () => {
  test('is reported once when it begins, and once when it is over', async () => {
    const { consumerKey } = await server.constellation.makeTenant();
    const liar = await server.startLyingRelay();
    const reports: (string | undefined)[] = [];
    let failures = 0;
    let bothFail = () => {};
    const bothHaveFailed = new Promise<void>((resolve) => {
      bothFail = resolve;
    });
    // Two calls fail at the same time. Later ones reach the relay.
    const failing: typeof globalThis.fetch = async (input, init) => {
      if (!isAway || failures === 2) return await fetch(input, init);
      failures += 1;
      if (failures === 2) bothFail();
      await bothHaveFailed;
      return Response.json({}, { status: 503 });
    };
    let isAway = false;
    const relay = createRelay({
      url: liar.url,
      apiKey: consumerKey,
      timing: quick,
      fetch: failing,
      onOutage: (error) => reports.push(error && `${error.reason} ${error.retryAfterMs}`),
    });
    await relay.whoami();
    isAway = true;
    await Promise.all([relay.whoami(), relay.whoami()]);
    expect(reports).toEqual(['unreachable undefined', undefined]);
    let isLimited = true;
    liar.tell({
      instead() {
        const limit = { status: 429, headers: { 'retry-after': '1' }, body: '{}' };
        const answer = isLimited ? limit : undefined;
        isLimited = false;
        return answer;
      },
    });
    await relay.whoami();
    expect(reports.slice(2)).toEqual(['rate_limited 1000', undefined]);
    // A refusal is not an outage.
    await expect(relay.findByRef('HS-00000000')).rejects.toMatchObject({ code: 'not_found' });
    expect(reports).toHaveLength(4);
  });
});

describe('an option that does not exist', () => {
  test('is refused, with those that exist', async () => {
    const { consumerKey, providerKey } = await server.constellation.makeTenant();
    const url = server.gatewayUrl;
    const relay = createRelay({ url, apiKey: consumerKey });
    const unknown = (options: object) => options as never;
    const refused = (message: string) => ({
      code: 'invalid_input',
      message: expect.stringContaining(message),
    });
    const listed = (given: string, name: string) =>
      refused(`There is no option \`${given}\`. Options: ${name}`);
    const context = [{ role: 'user', content: 'The deploy hangs.' }];
    await expect(relay.ask(unknown({ question: 'x', context }))).rejects.toMatchObject(
      listed('context', 'question, messages,'),
    );
    await expect(relay.ask(unknown('x' as never))).rejects.toMatchObject(
      refused('This must be an object with options: question, messages,'),
    );
    expect(await relay.requests()).toEqual([]);
    const conversation = await relay.ask({ question: 'x', encrypted: false });
    await expect(conversation.waitForAnswer(unknown({ timeOut: 5 }))).rejects.toMatchObject(
      listed('timeOut', 'timeout'),
    );
    await expect(conversation.send('y', unknown({ singal: 5 }))).rejects.toMatchObject(
      listed('singal', 'form, files, shown, signal.'),
    );
    await expect(conversation.close(unknown({ q: 1 }))).rejects.toMatchObject(
      refused('There is no option `q`. Options: reason, signal.'),
    );
    expect(conversation.status).toBe('pending');
    expect(() => createRelay(unknown({ url, apiKey: consumerKey, hubURL: 'x' }))).toThrow(/ hubUrl, /);
    expect(() => createRelay({ url, apiKey: consumerKey, timing: unknown({ polling: 5 }) })).toThrow(
      / pollMs, /,
    );
    expect(() => createExpert(unknown({ url, apiKey: providerKey, acceptUnprotected: true }))).toThrow(
      RelayError,
    );
    expect(() => createExpert(unknown({ session: true, url, apiKey: providerKey }))).toThrow(/`apiKey`/);
    expect(() => createExpert(unknown({ url, apiKey: providerKey, listen: () => {} }))).toThrow(/`listen`/);
    const expert = createExpert({ url, apiKey: providerKey });
    const request = await expert.request(conversation.refCode);
    await expect(request.answer('z', unknown({ plainText: true }))).rejects.toMatchObject(
      listed(
        'plainText',
        'messageId, decision, files, plaintext, shown, evenIfNewer, withoutParts, signal, onStored, beforeSending.',
      ),
    );
    expect((await relay.findByRef(conversation.refCode)).responseCount).toBe(0);
  });
});

test('an error of the relay is quoted with its title and its detail', async () => {
  const { consumerKey } = await server.constellation.makeTenant();
  const relay = createRelay({ url: server.gatewayUrl, apiKey: consumerKey });
  await expect(relay.findByRef('HS-00000000')).rejects.toMatchObject({
    message: expect.stringMatching(
      /^The relay says: "There is nothing here\. Check the method, the path, .*"/,
    ),
  });
});

test('an expert polls while the relay states a wrong user id, and opens a stream once it is right', async () => {
  const { consumerKey, providerKey } = await server.constellation.makeTenant();
  const liar = await server.startLyingRelay();
  const relay = createRelay({ url: server.gatewayUrl, apiKey: consumerKey });
  const expert = createExpert({
    url: liar.url,
    apiKey: providerKey,
    timing: { ...quick, recheckMs: 600_000 },
  });
  const questions: string[] = [];
  const lie = async (userId: string, question: string) => {
    liar.tell({
      answer: (answer, { path }) => (path === '/api/v1/whoami' ? { ...answer, userId } : answer),
    });
    await relay.ask({ question });
    await eventually(`"${question}"`, () => questions.includes(question));
  };
  const listening = (async () => {
    for await (const request of expert.requests()) questions.push(request.question);
  })();
  await lie('../../requests', 'A?');
  await lie(crypto.randomUUID(), 'B?');
  let streams = 0;
  liar.tell({
    blocks(blocks) {
      streams += 1;
      return blocks;
    },
  });
  await eventually('a stream', () => streams > 0);
  await relay.ask({ question: 'C?' });
  await eventually('the third', () => questions.includes('C?'));
  expert.stop();
  await expect(listening).rejects.toMatchObject({ code: 'aborted' });
});

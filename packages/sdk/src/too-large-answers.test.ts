import {
  eventually,
  type Flood,
  type FloodingRelay,
  type LyingRelay,
  startFloodingRelay,
} from '@expert-relay/testkit';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { createExpert } from './expert/index.ts';
import { createRelay } from './index.ts';
import { quick } from './testing/quick.ts';
import { useTestServer } from './testing/use-test-server.ts';

const mebibyte = 2 ** 20;
const server = useTestServer();
let flooding: FloodingRelay;
let liar: LyingRelay;

beforeAll(async () => {
  flooding = await startFloodingRelay();
  server.onStop(flooding.stop);
  liar = await server.startLyingRelay();
});

/** A fetch that counts the bytes that are read, after decompression: of all answers, and of the longest one. */
function countingFetch() {
  const read = { bytes: 0, most: 0 };
  const counted: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    let bytes = 0;
    const counter = new TransformStream<Uint8Array, Uint8Array>({
      transform(piece, controller) {
        bytes += piece.length;
        read.bytes += piece.length;
        read.most = Math.max(read.most, bytes);
        controller.enqueue(piece);
      },
    });
    return new Response(response.body?.pipeThrough(counter), response);
  };
  return { read, fetch: counted };
}

describe('an answer of a call that does not end', () => {
  test.each<Flood>(['json', 'problem', 'gzip'])('is refused after 8 MiB: %s', async (flood) => {
    flooding.answerWith(flood);
    const { read, fetch } = countingFetch();
    const options = { url: flooding.url, timing: quick, fetch };
    const agent = createRelay({ ...options, apiKey: server.tenant.consumerKey });
    const expert = createExpert({ ...options, apiKey: server.tenant.providerKey });
    const reason = 'answer_too_large';
    await expect(agent.whoami()).rejects.toMatchObject({
      reason,
      message: expect.stringContaining('Check the address'),
    });
    await expect(agent.requests()).rejects.toMatchObject({ reason });
    await expect(agent.ask({ question: 'Well?' })).rejects.toMatchObject({ reason });
    await expect(expert.request('HS-12345678')).rejects.toMatchObject({ reason });
    // No call was repeated, and of each a little more than the limit was read.
    expect(read.bytes).toBeLessThan(4 * 10 * mebibyte);
    await eventually('the end of the connections', () => flooding.connections.open === 0);
  });

  test('is refused after 1 MiB of one event, and messages are read without events', async () => {
    flooding.answerWith('stream');
    const { read, fetch } = countingFetch();
    const agent = createRelay({
      url: server.gatewayUrl,
      hubUrl: flooding.url,
      apiKey: server.tenant.consumerKey,
      timing: quick,
      fetch,
    });
    const conversation = await agent.ask({ question: 'Well?', encrypted: false });
    const expert = createExpert({ url: server.gatewayUrl, apiKey: server.tenant.providerKey });
    const before = flooding.connections.made;
    const answer = conversation.waitForAnswer({ timeoutMs: 60_000 });
    await eventually('two streams', () => flooding.connections.made > before + 1);
    await (await expert.request(conversation.requestId)).answer('Well.');
    expect(await answer).toMatchObject({ text: 'Well.' });
    agent.stop();
    expert.stop();
    expect(read.most).toBeLessThan(2 * mebibyte);
  });
});

describe('a conversation', () => {
  test('with large messages is read in small pages', async () => {
    const agent = createRelay({ url: server.gatewayUrl, apiKey: server.tenant.consumerKey });
    const expert = createExpert({ url: server.gatewayUrl, apiKey: server.tenant.providerKey });
    const conversation = await agent.ask({ question: 'Well?', encrypted: false });
    const request = await expert.request(conversation.requestId);
    // As long as a text can be, in the API's JSON: quotation marks take two bytes, control characters six.
    const texts = Array.from({ length: 15 }, (_, index) =>
      (index % 2 ? '"' : '\u0001').repeat(index % 2 ? 519_000 : 173_000),
    );
    for (const text of texts) await request.answer(text);
    for (const text of texts) {
      expect((await conversation.waitForAnswer({ timeoutMs: 60_000 })).text === text).toBe(true);
    }
    agent.stop();
    expert.stop();
  });

  test('whose list does not end is refused', async () => {
    const agent = createRelay({ url: liar.url, apiKey: server.tenant.consumerKey });
    const conversation = await agent.ask({ question: 'Well?', encrypted: false });
    let listed = 0;
    liar.tell({
      answer(answer, { path }) {
        const after = Number(/messages\/.*after=(\d+)/.exec(path)?.[1] ?? Number.NaN);
        if (Number.isNaN(after)) return answer;
        const messages = Array.from({ length: 7 }, (_, index) => ({
          seq: after + index + 1,
          role: 'provider',
          messageId: crypto.randomUUID(),
          createdAt: '2026-11-21T00:00:00.000Z',
          plaintext: 'x'.repeat(mebibyte),
        }));
        listed += messages.length;
        return { ...answer, messages, next: after + messages.length };
      },
    });
    await expect(conversation.refresh()).rejects.toMatchObject({ reason: 'unexpected_answer' });
    expect(listed).toBeLessThan(110);
    agent.stop();
  });
});

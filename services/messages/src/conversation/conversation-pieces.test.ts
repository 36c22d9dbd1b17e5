import { randomUUID } from 'node:crypto';
import { makeRefCode, makeRequestId, type Party } from '@expert-relay/db';
import { makeConsumer, type OpenDatabase, openTestDatabase } from '@expert-relay/db/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { conversationPieces, maxResponseLength } from './conversation-pieces.ts';
import { readHead } from './read-head.ts';
import { pageBytes } from './read-messages.ts';

let database: OpenDatabase;
let userId: string;
let apiKeyId: string;
let agent: Party;

beforeAll(async () => {
  database = await openTestDatabase();
  ({ userId, apiKeyId } = await makeConsumer(database.prisma));
  agent = { kind: 'consumer', userId, apiKeyId, secret: { createdAt: 0 } };
});
afterAll(() => database.stop());

/** Inserts a conversation with messages of these sizes; returns a function that reads it. */
async function conversationOf(sizes: readonly number[]) {
  const id = makeRequestId();
  await database.prisma.helpRequest.create({
    data: {
      id,
      refCode: makeRefCode(),
      callId: randomUUID(),
      userId,
      consumerKeyId: apiKeyId,
      context: [],
      expiresAt: new Date(Date.now() + 60_000),
      seq: 2 * sizes.length,
      contentBytes: sizes.reduce((sum, size) => sum + size, 0),
      messages: {
        create: sizes.map((size, index) => {
          const messageId = randomUUID();
          const content = index % 2 ? { plaintext: 'ü'.repeat(size / 2) } : blob(size);
          // Other changes of the request use numbers too.
          return {
            seq: 2 * index + 1,
            role: 'provider' as const,
            messageId,
            messageKey: messageId,
            ...content,
          };
        }),
      },
    },
  });
  return async (after = 0, limit?: number) => {
    const head = await readHead(database.query, agent, id);
    const pieces: string[] = [];
    const written = conversationPieces(database.query, head, { after, limit });
    for (let isLast = false; !isLast; ) {
      const { value, done } = await written.next();
      pieces.push(value);
      isLast = done === true;
    }
    const { messages, next } = JSON.parse(pieces.join(''));
    return { seqs: messages.map(({ seq }: { seq: number }) => seq), next, pieces };
  };
}

const blob = (size: number) => ({
  iv: 'AAAA',
  tag: 'AAAA',
  ephemeralPublicKey: 'AAAA',
  signature: 'AAAA',
  ciphertext: 'A'.repeat(size),
});

test('a conversation of one page is one piece', async () => {
  const read = await conversationOf([10, pageBytes - 30, 10]);
  const { seqs, pieces } = await read();
  expect(seqs).toEqual([1, 3, 5]);
  expect(pieces).toHaveLength(1);
});

test('large messages are read page by page, each once', async () => {
  const largest = 1_000_000;
  const sizes = [10, largest, 10, 40_000, 40_000, 40_000, largest, largest, 10, 10];
  const read = await conversationOf(sizes);
  const { seqs, next, pieces } = await read();
  expect(seqs).toEqual(sizes.map((_, index) => 2 * index + 1));
  expect(next).toBeUndefined();
  for (const piece of pieces) expect(Buffer.byteLength(piece)).toBeLessThan(pageBytes + largest + 10_000);
  // A page ends with the message that fills it.
  expect(pieces).toHaveLength(5);
});

test('`next` is there exactly when there are more messages, wherever a page ends', async () => {
  const sizes = [10, pageBytes - 22, 10, 40_000, 40_000, 10];
  const read = await conversationOf(sizes);
  const all = (await read()).seqs;
  for (let limit = 1; limit <= sizes.length; limit++) {
    for (let from = 0; from < sizes.length; from++) {
      const { seqs, next } = await read(from === 0 ? 0 : all[from - 1], limit);
      expect(seqs).toEqual(all.slice(from, from + limit));
      expect(next).toBe(from + limit < all.length ? seqs.at(-1) : undefined);
    }
  }
});

test('a response with `limit` ends early when its messages are long; without `limit` it is complete', async () => {
  const sizes = Array.from({ length: 60 }, () => 50_000);
  const read = await conversationOf(sizes);
  const seqs: number[] = [];
  let responses = 0;
  for (let after: number | undefined = 0; after !== undefined; ) {
    const response = await read(after, 1_000);
    seqs.push(...response.seqs);
    responses += 1;
    const { length } = response.pieces.join('');
    expect(length).toBeLessThan(maxResponseLength + pageBytes + 60_000);
    if (response.next !== undefined) expect(length).toBeGreaterThanOrEqual(maxResponseLength);
    after = response.next;
  }
  expect(seqs).toEqual(sizes.map((_, index) => 2 * index + 1));
  expect(responses).toBe(3);
  expect(await read()).toMatchObject({ seqs, next: undefined });
});

test('small messages are read 200 at a time, each once', async () => {
  const read = await conversationOf(Array.from({ length: 401 }, () => 2));
  const { seqs, pieces } = await read();
  expect(seqs).toEqual(Array.from({ length: 401 }, (_, index) => 2 * index + 1));
  expect(pieces).toHaveLength(3);
});

test('a conversation has `erasedAt` only when its content is erased', async () => {
  const [id, erasedAt] = [makeRequestId(), new Date('2026-11-21T07:00:00.123Z')];
  const data = {
    id,
    refCode: makeRefCode(),
    callId: randomUUID(),
    userId,
    consumerKeyId: apiKeyId,
    context: [],
    status: 'closed' as const,
    expiresAt: erasedAt,
    endedAt: erasedAt,
    question: 'May I?',
  };
  await database.prisma.helpRequest.create({ data });
  const read = async () => (await readHead(database.query, agent, id)).head;
  expect(await read()).not.toHaveProperty('erasedAt');
  await database.prisma.helpRequest.update({ where: { id }, data: { question: null, erasedAt } });
  expect(await read()).toMatchObject({ question: null, erasedAt: '2026-11-21T07:00:00.123Z' });
});

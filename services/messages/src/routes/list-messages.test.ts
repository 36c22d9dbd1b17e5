import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { makeRefCode, makeRequestId, type Query } from '@expert-relay/db';
import { makeConsumer, type OpenDatabase, openTestDatabase } from '@expert-relay/db/testing';
import { listen, sendResponse } from '@expert-relay/kit/http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { pageBytes } from '../conversation/read-messages.ts';
import { listMessages } from './list-messages.ts';

/** More than the socket buffers of both sides can hold. */
const count = 4_000;
const size = 10_000;

let database: OpenDatabase;
const requestId = makeRequestId();
let userId: string;

beforeAll(async () => {
  database = await openTestDatabase();
  const consumer = await makeConsumer(database.prisma);
  userId = consumer.userId;
  await database.prisma.helpRequest.create({
    data: {
      id: requestId,
      refCode: makeRefCode(),
      callId: randomUUID(),
      userId,
      consumerKeyId: consumer.apiKeyId,
      context: [],
      expiresAt: new Date(Date.now() + 60_000),
      seq: count,
      contentBytes: count * size,
    },
  });
  await database.query`
    INSERT INTO messages (request_id, seq, role, message_id, message_key, plaintext)
    SELECT ${requestId}, seq, 'provider', id, id, repeat('x', ${size}::int)
    FROM (SELECT seq, gen_random_uuid() AS id FROM generate_series(1, ${count}::int) AS seq) AS numbered`;
});

afterAll(() => database.stop());

test('a large conversation is read from Postgres page by page, as fast as its reader receives it', async () => {
  let read = 0;
  const query: Query = async <Row extends object>(strings: TemplateStringsArray, ...values: unknown[]) => {
    const rows = await database.query<Row & { plaintext: string | null }>(strings, ...values);
    for (const { plaintext } of rows) read += plaintext?.length ?? 0;
    return rows;
  };
  const route = listMessages({ query, wakeOutbox: () => {} });
  let socket: Socket | undefined;
  const server = createServer(async (request, response) => {
    socket = request.socket;
    const result = await route.handle({
      principal: { kind: 'session', sessionId: 'one', userId, begunAt: 0, endsAt: 0 },
      callId: randomUUID(),
      headers: {},
      params: { requestId },
      query: new URLSearchParams(),
      body: undefined,
    });
    await sendResponse(response, result).catch(() => {});
  });
  const call = get(await listen(server, '127.0.0.1', 0));
  const [answer] = (await once(call, 'response')) as [IncomingMessage];

  // Until the socket buffers of both sides are full: the client does not read.
  for (let before = -1; read !== before || !socket?.writableLength; await pause(300)) before = read;
  const sent = socket.bytesWritten - socket.writableLength;
  // One page waits, with the message that fills it.
  expect(read - sent).toBeLessThanOrEqual(pageBytes + size);
  expect(read).toBeLessThan(count * size);

  expect(JSON.parse(await text(answer)).messages).toHaveLength(count);
  server.close();
});

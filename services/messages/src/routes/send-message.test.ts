import { randomUUID } from 'node:crypto';
import { makeRefCode, makeRequestId } from '@expert-relay/db';
import { makeConsumer, type OpenDatabase, openTestDatabase } from '@expert-relay/db/testing';
import type { Call, RouteResponse } from '@expert-relay/kit/http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sendMessage } from './send-message.ts';

let database: OpenDatabase;
let userId: string;
let consumerKeyId: string;

beforeAll(async () => {
  database = await openTestDatabase();
  ({ userId, apiKeyId: consumerKeyId } = await makeConsumer(database.prisma));
});
afterAll(() => database.stop());

/** Inserts a conversation with these counters, as if it had messages. */
async function newConversation(used: { messageCount?: number; contentBytes?: number; lastMessageAt?: Date }) {
  const request = await database.prisma.helpRequest.create({
    data: {
      id: makeRequestId(),
      refCode: makeRefCode(),
      callId: randomUUID(),
      userId,
      consumerKeyId,
      context: [],
      expiresAt: new Date(Date.now() + 60_000),
      ...used,
    },
  });
  const route = sendMessage({ ...database, wakeOutbox: () => {} });
  const send = (body: { role?: 'consumer'; [member: string]: unknown }): Promise<RouteResponse> => {
    const message = { role: 'provider' as const, messageId: randomUUID(), ...body };
    const { role: kind } = message;
    const apiKeyId = kind === 'provider' ? randomUUID() : consumerKeyId;
    const call: Call = {
      principal: { kind, userId, apiKeyId, secret: { createdAt: 0 } },
      callId: randomUUID(),
      params: { requestId: request.id },
      headers: {},
      query: new URLSearchParams(),
      body: message,
    };
    return route.handle(call);
  };
  const stored = () => database.prisma.helpRequest.findUniqueOrThrow({ where: { id: request.id } });
  return { id: request.id, send, stored };
}

const full = { code: 'conversation_full', status: 409 };

describe('a conversation', () => {
  test('accepts 10,000 messages and no more, and answers a repeated one', async () => {
    const { send, stored } = await newConversation({ messageCount: 9_999 });
    const last = { plaintext: 'the last', messageId: randomUUID() };
    const first = await send(last);
    expect(first.status).toBe(201);
    await expect(send({ plaintext: 'one more' })).rejects.toMatchObject(full);
    expect(await send(last)).toEqual({ ...first, status: 200 });
    expect(await stored()).toMatchObject({ messageCount: 10_000, responseCount: 1, seq: 2 });
  });

  test('accepts 64 MiB to the byte, and counts all parts of a message', async () => {
    const blob = { iv: 'AAAA', ciphertext: 'AAAA', tag: 'AAAA', ephemeralPublicKey: 'AAAA' };
    const message = { encrypted: blob, signature: 'AAAA', plaintext: 'é' };
    // Five blobs of four characters, two bytes of text and the role.
    const size = 5 * 4 + 2 + 'provider'.length;
    const { send, stored } = await newConversation({ contentBytes: 2 ** 26 - size });
    await expect(send({ ...message, plaintext: 'é!' })).rejects.toMatchObject(full);
    expect(await send(message)).toMatchObject({ status: 201 });
    expect(await stored()).toMatchObject({ messageCount: 1, contentBytes: 2 ** 26 });
    await expect(send({ plaintext: 'x' })).rejects.toMatchObject(full);
  });

  test('accepts only messages of up to 64 KiB from 56 MiB on, so that files cannot prevent a decision', async () => {
    const { send, stored } = await newConversation({ contentBytes: 56 * 2 ** 20 - 1 });
    const textOf = (size: number) => ({ plaintext: 'x'.repeat(size - 'provider'.length) });
    expect(await send(textOf(65_537))).toMatchObject({ status: 201 });
    await expect(send(textOf(65_537))).rejects.toMatchObject(full);
    expect(await send(textOf(65_536))).toMatchObject({ status: 201 });
    expect(await stored()).toMatchObject({ messageCount: 2 });
  });

  test('that is full and has ended is refused because it has ended', async () => {
    const { send } = await newConversation({ messageCount: 10_000 });
    await database.query`UPDATE help_requests SET status = 'closed', ended_at = now() WHERE message_count = 10000`;
    await expect(send({ plaintext: 'x' })).rejects.toMatchObject({ code: 'conversation_closed' });
  });

  test('has time, role and progress of the last message when many are sent at once', async () => {
    const { id, send, stored } = await newConversation({});
    const sent = Array.from({ length: 20 }, (_, index) =>
      index % 2 ? send({ plaintext: 'x' }) : send({ plaintext: 'x', role: 'consumer' }),
    );
    for (const { status } of await Promise.all(sent)) expect(status).toBe(201);
    const last = await database.prisma.message.findFirstOrThrow({
      where: { requestId: id },
      orderBy: { seq: 'desc' },
    });
    expect(await stored()).toMatchObject({
      messageCount: 20,
      responseCount: 10,
      turn: last.role === 'provider' ? 'consumer' : 'provider',
      lastMessageAt: last.createdAt,
    });
    const stage = await database.prisma.requestStage.findFirstOrThrow({ where: { requestId: id } });
    expect(stage.progress).toBe(last.role === 'provider' ? 'answered' : 'follow_up');
  });

  test('gives a message a later time than the one before, also when the clock was set back', async () => {
    const lastMessageAt = new Date(Date.now() + 60_000);
    const { send, stored } = await newConversation({ lastMessageAt, messageCount: 1 });
    const { body } = await send({ plaintext: 'x' });
    const createdAt = new Date(lastMessageAt.getTime() + 1);
    expect(body).toMatchObject({ createdAt: createdAt.toISOString() });
    expect(await stored()).toMatchObject({ lastMessageAt: createdAt });
  });
});

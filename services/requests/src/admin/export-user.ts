import {
  type HelpRequest,
  type Message,
  noteColumns,
  type PrismaClient,
  publicKeyColumns,
  refCodeColumn,
  statusNow,
  submissionColumns,
  type User,
} from '@expert-relay/db';
import { keyBody, keySelect } from '../api-keys/key-form.ts';
import { type Command, findUser, parseOptions, userOptions } from './command.ts';

const usage = `Prints everything that is stored about a user, as JSON lines.

  node services/requests/dist/admin.js export-user --user USER_ID > user.jsonl
  node services/requests/dist/admin.js export-user --identity PROVIDER:SUBJECT > user.jsonl

Each line has a "type": user, identity, sign_in_link, key, vault,
notification_settings, webhook, channel, delivery, request, message, and end. An export without the line
"end" is not complete. Secrets of keys are not stored, encrypted messages stay encrypted,
and the addresses and secrets of webhooks and channels, which are encrypted too, are left out.
It reads DATABASE_URL.
`;

export const exportUserCommand: Command = {
  usage,
  read(args) {
    const find = findUser(parseOptions(args, userOptions, usage), usage);
    return async (prisma, write) => {
      for await (const record of exportUser(prisma, await find(prisma))) {
        await write(`${JSON.stringify(record)}\n`);
      }
    };
  },
};

type ExportRecord = { readonly type: string } & Readonly<Record<string, unknown>>;

/** All data of a user, record by record. Only one page is in memory. */
async function* exportUser(prisma: PrismaClient, user: User): AsyncGenerator<ExportRecord> {
  const { id: userId, name, email, createdAt, sessionsEndedAt } = user;
  yield { type: 'user', userId, name, email, createdAt, ...(sessionsEndedAt && { sessionsEndedAt }) };

  for (const { provider, subject, label, createdAt: since } of await prisma.identity.findMany({
    where: { userId },
  }))
    yield { type: 'identity', provider, subject, label, createdAt: since };

  const links = await prisma.signInLink.findMany({ where: { userId }, orderBy: { createdAt: 'asc' } });
  for (const { id, createdAt: since, expiresAt, usedAt } of links)
    yield { type: 'sign_in_link', linkId: id, createdAt: since, expiresAt, usedAt };

  const keys = await prisma.apiKey.findMany({
    where: { userId },
    orderBy: { createdAt: 'asc' },
    select: keySelect,
  });
  for (const key of keys) yield { type: 'key', ...keyBody(key) };

  const sealed = await prisma.sealedValue.findMany({ where: { userId }, orderBy: { name: 'asc' } });
  for (const { name, value, updatedAt } of sealed) yield { type: name, [name]: JSON.parse(value), updatedAt };

  const settings = await prisma.notificationSettings.findUnique({
    where: { userId },
    omit: { userId: true },
  });
  if (settings) yield { type: 'notification_settings', ...settings };
  yield* exportEndpoints(prisma, userId);

  let [requests, messages] = [0, 0];
  for await (const request of exportRequests(prisma, userId)) {
    yield { type: 'request', ...request };
    requests++;
    for await (const message of exportMessages(prisma, request.requestId)) {
      yield { type: 'message', ...message };
      messages++;
    }
  }
  yield { type: 'end', requests, messages };
}

const deliveriesPerPage = 500;

/** The webhooks and channels of a user, each with its deliveries. */
async function* exportEndpoints(prisma: PrismaClient, userId: string): AsyncGenerator<ExportRecord> {
  const endpoints = await prisma.notificationEndpoint.findMany({
    where: { userId },
    orderBy: { createdAt: 'asc' },
  });
  for (const {
    id,
    apiKeyId: keyId,
    channel,
    events,
    createdAt,
    enabledAt,
    offReason,
    ...endpoint
  } of endpoints) {
    const ownId = channel === 'webhook' ? { webhookId: id } : { channelId: id };
    const { label, delaySeconds, showQuestion, confirmedAt } = endpoint;
    yield channel === 'webhook'
      ? { type: 'webhook', ...ownId, keyId, events, createdAt, enabledAt, offReason }
      : {
          type: 'channel',
          ...ownId,
          kind: channel,
          label,
          delaySeconds,
          showQuestion,
          confirmedAt,
          createdAt,
          enabledAt,
          offReason,
        };
    for (let last = '', more = true; more; ) {
      const page = await prisma.notificationDelivery.findMany({
        where: { endpointId: id, id: { gt: last } },
        orderBy: { id: 'asc' },
        take: deliveriesPerPage,
      });
      for (const { endpointId: _id, id: deliveryId, type: eventType, dueAt: _, ...rest } of page)
        yield { type: 'delivery', ...ownId, deliveryId, eventType, ...rest };
      more = page.length === deliveriesPerPage;
      last = page.at(-1)?.id ?? last;
    }
  }
}

type ExportedRequest = Omit<
  HelpRequest,
  'id' | 'userId' | 'callId' | 'seq' | 'contentBytes' | 'lastMessageAt'
> & { requestId: string };

/** A request may have a megabyte. */
const requestsPerPage = 20;

/** The requests of a user, oldest first. */
async function* exportRequests(prisma: PrismaClient, userId: string): AsyncGenerator<ExportedRequest> {
  let last: Pick<ExportedRequest, 'requestId' | 'createdAt'> | undefined = {
    requestId: '',
    createdAt: new Date(0),
  };
  while (last) {
    const page: ExportedRequest[] = await prisma.$queryRaw<ExportedRequest[]>`
      SELECT id AS "requestId", ${refCodeColumn}, ${statusNow} AS status,
        consumer_key_id AS "consumerKeyId", response_count AS "responseCount",
        message_count AS "messageCount", turn, snoozed_until AS "snoozedUntil", created_at AS "createdAt", expires_at AS "expiresAt",
        ended_at AS "endedAt", erased_at AS "erasedAt", question, ${submissionColumns},
        form_kind AS "formKind", ${noteColumns}, ${publicKeyColumns}
      FROM help_requests
      WHERE user_id = ${userId}::uuid AND (created_at, id) > (${last.createdAt}, ${last.requestId})
      ORDER BY created_at, id LIMIT ${requestsPerPage}`;
    yield* page;
    last = page.length === requestsPerPage ? page.at(-1) : undefined;
  }
}

/** A message may have a megabyte. */
const messagesPerPage = 50;

/** The messages of a request in order, in the form of the API. */
async function* exportMessages(
  prisma: PrismaClient,
  requestId: string,
): AsyncGenerator<Record<string, unknown>> {
  for (let seq = 0, more = true; more; ) {
    const page = await prisma.message.findMany({
      where: { requestId, seq: { gt: seq } },
      orderBy: { seq: 'asc' },
      take: messagesPerPage,
    });
    yield* page.map(recordOf);
    more = page.length === messagesPerPage;
    seq = page.at(-1)?.seq ?? seq;
  }
}

function recordOf(message: Message): Record<string, unknown> {
  const { requestId, messageId, seq, role, createdAt, plaintext, answer, signature } = message;
  const { iv, ciphertext, tag, ephemeralPublicKey } = message;
  return {
    requestId,
    messageId,
    seq,
    role,
    ...(ciphertext !== null && { encrypted: { iv, ciphertext, tag, ephemeralPublicKey }, signature }),
    ...(plaintext !== null && { plaintext }),
    ...(answer !== null && { answer }),
    createdAt,
  };
}

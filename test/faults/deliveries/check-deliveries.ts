import { Webhook as Verifier } from 'standardwebhooks';
import type { CommittedState } from '../checks/read-committed.ts';
import type { Database } from '../environment/database.ts';
import type { Webhook } from './webhooks.ts';

/** The events that a webhook must report, as `type requestId messageId`. */
type Expected = ReadonlySet<string>;

/** What webhooks got, compared with what was committed. */
export interface DeliveriesResult {
  readonly expected: number;
  readonly receipts: number;
  readonly lost: number;
  /** A sentence for each promise that did not hold. */
  readonly failures: readonly string[];
}

type Roles = ReadonlyMap<string, string>;

export async function readRoles(database: Database): Promise<Roles> {
  const rows = await database.query<{ id: string; role: string }>(
    'SELECT message_id AS id, role FROM messages',
  );
  return new Map(rows.map(({ id, role }) => [id, role]));
}

/** Derived from the committed events, and not from what the notifier stores. */
export function expectedDeliveries(of: Webhook['of'], committed: CommittedState, roles: Roles): Expected {
  const expected = new Set<string>();
  for (const { requestId, status, events } of committed.values()) {
    for (const { type, key } of events) {
      if (type === 'new_request' && of === 'expert') expected.add(`request.created ${requestId} `);
      if (type === 'key_exchange' && of === 'agent') expected.add(`keys.exchanged ${requestId} `);
      if (type === 'request_closed') expected.add(`request.${status} ${requestId} `);
      const messageId = type === 'new_message' ? key.slice(type.length + 1) : '';
      const isReported = roles.get(messageId) === (of === 'expert' ? 'consumer' : 'provider');
      if (isReported) expected.add(`message.created ${requestId} ${messageId}`);
    }
  }
  return expected;
}

/** The event of a receipt, in the form of `expectedDeliveries`. */
function eventOf(body: string): string {
  const { type, data } = JSON.parse(body);
  return `${type} ${data.requestId} ${data.messageId ?? ''}`;
}

export const countMissing = (webhook: Webhook, expected: Expected): number => {
  const received = new Set(webhook.receipts().map(({ body }) => eventOf(body)));
  return [...expected].filter((event) => !received.has(event)).length;
};

/**
 * Each event was delivered at least once; all deliveries of one event have the same id and body, and a signature that the
 * public library of Standard Webhooks makes too.
 */
export function checkDeliveries(
  webhooks: readonly Webhook[],
  committed: CommittedState,
  roles: Roles,
): DeliveriesResult {
  const failures: string[] = [];
  let [expectedCount, receiptCount, lost] = [0, 0, 0];
  for (const webhook of webhooks) {
    const { of, secret } = webhook;
    const expected = expectedDeliveries(of, committed, roles);
    const verifier = new Verifier(secret);
    const idOf = new Map<string, string>();
    const bodyOf = new Map<string, string>();
    let [foreign, otherId, otherBody, unsigned] = [0, 0, 0, 0];
    const receipts = webhook.receipts();
    for (const { id, timestamp, signature, body } of receipts) {
      const event = eventOf(body);
      if (!expected.has(event)) foreign++;
      if ((idOf.get(event) ?? id) !== id) otherId++;
      if ((bodyOf.get(id) ?? body) !== body) otherBody++;
      if (verifier.sign(id, new Date(Number(timestamp) * 1_000), body) !== signature) unsigned++;
      idOf.set(event, id);
      bodyOf.set(id, body);
    }
    const missing = countMissing(webhook, expected);
    const mustBeNone = (count: number, what: string) =>
      count > 0 && failures.push(`${count} webhook deliveries to the ${of} ${what}`);
    mustBeNone(missing, 'were lost');
    mustBeNone(foreign, 'report no event of it');
    mustBeNone(otherId, 'were repeated under another id');
    mustBeNone(otherBody, 'were repeated with another body');
    mustBeNone(unsigned, 'have a wrong signature');
    expectedCount += expected.size;
    receiptCount += receipts.length;
    lost += missing;
  }
  return { expected: expectedCount, receipts: receiptCount, lost, failures };
}

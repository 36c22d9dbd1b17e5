import { createECDH, createHash, randomBytes } from 'node:crypto';
import { eventually } from '@expert-relay/testkit';
import type { DevUser } from '../../../scripts/local/secrets.ts';
import { signIn } from '../chaos/prepare-attacker.ts';
import type { Database } from '../environment/database.ts';
import type { Receipt, Receivers } from './receivers.ts';

/** The name of the user with channels. */
export const notifiedUser = 'notified';

/** Push, email and chat of an expert who never answers: so each request must be reported by each of them. */
export interface Channels {
  readonly user: DevUser;
  /** Lets a request wait until the end of the seed, and the email about it become due. */
  keepWaiting(requestId: string): Promise<void>;
  /** Waits until a message has reached its receiver, which has not answered yet. */
  untilSending(): Promise<void>;
  /** The requests that wait, and what arrived. */
  check(): Promise<{ expected: number; receipts: number; lost: number; failures: readonly string[] }>;
}

export async function addChannels(
  receivers: Receivers,
  { user, gatewayUrl, database }: { user: DevUser; gatewayUrl: string; database: Database },
): Promise<Channels> {
  const cookie = await signIn(gatewayUrl, notifiedUser);
  const post = async (path: string, json: object): Promise<{ id: string }> => {
    const response = await fetch(`${gatewayUrl}/api/notifications/channels${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie },
      body: JSON.stringify(json),
    });
    if (!response.ok) throw new Error(`A channel got ${response.status}: ${await response.text()}`);
    return (await response.json()) as { id: string };
  };

  const browser = createECDH('prime256v1');
  const subscription = {
    endpoint: new URL('/browser', receivers['push-service'].url).href,
    keys: { p256dh: browser.generateKeys('base64url'), auth: randomBytes(16).toString('base64url') },
  };
  const push = await post('', { kind: 'push', subscription });
  await post('', { kind: 'chat', url: receivers.chat.url, delaySeconds: 0 });
  const email = await post('', { kind: 'email', address: 'ada@example.com', delaySeconds: 60 });
  const emails = () => receivers['mail-server'].receipts();
  const all = () => [...receivers['push-service'].receipts(), ...emails(), ...receivers.chat.receipts()];
  await eventually('the email with the link arrives', () => emails().length > 0, { timeoutMs: 60_000 });
  await post(`/${email.id}/confirm`, {
    token: /confirm-email\?\S*token=([\w-]+)/.exec(emails()[0]?.body ?? '')?.[1],
  });

  const topicOf = (requestId: string) =>
    createHash('sha256').update(`${push.id} ${requestId}`).digest('base64url').slice(0, 32);
  return {
    user,
    async keepWaiting(requestId) {
      const isEmailDue = async () => {
        await database.query(keepOpen, [requestId]);
        const [row] = await database.query<{ known: boolean }>(makeEmailDue, [email.id, requestId]);
        return row?.known === true;
      };
      await eventually('its email is due', () => isEmailDue().catch(() => false)).catch(() => {});
    },
    async untilSending() {
      const before = all().length;
      await eventually('a message is sent', () => all().length > before, { timeoutMs: 3_000 }).catch(
        () => {},
      );
    },
    async check() {
      const requests = await database.query<{ id: string; refCode: string }>(waiting, [user.userId]);
      const byCode = { email: codesIn(emails()), chat: codesIn(receivers.chat.receipts()) };
      const topics = receivers['push-service'].receipts().map(({ id }) => id);
      const failures: string[] = [];
      const mustBeNone = (count: number, what: string) => count > 0 && failures.push(`${count} ${what}`);
      const lost = {
        pushes: requests.filter(({ id }) => !topics.includes(topicOf(id))).length,
        emails: requests.filter(({ refCode }) => !byCode.email.has(refCode)).length,
        'chat messages': requests.filter(({ refCode }) => !byCode.chat.has(refCode)).length,
      };
      for (const [what, count] of Object.entries(lost)) mustBeNone(count, `${what} were lost`);
      mustBeNone(
        [...byCode.email.values()].filter((ids) => ids.size > 1).length,
        'emails were repeated under another id',
      );
      return {
        expected: 3 * requests.length,
        receipts: all().length,
        lost: Object.values(lost).reduce((sum, count) => sum + count),
        failures,
      };
    },
  };
}

/** The codes that messages name, with the ids of these messages. */
function codesIn(receipts: readonly Receipt[]): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const { id, body } of receipts)
    for (const [code] of body.matchAll(/HS-\w{8}/g)) found.set(code, (found.get(code) ?? new Set()).add(id));
  return found;
}

const keepOpen = `UPDATE help_requests SET expires_at = now() + interval '1 hour' WHERE id = $1 AND ended_at IS NULL`;
const waiting = `SELECT id, 'HS-' || ref_code AS "refCode" FROM help_requests WHERE user_id = $1 AND ended_at IS NULL`;
const makeEmailDue = `
  WITH endpoint AS MATERIALIZED (SELECT id FROM notification_endpoints WHERE id = $1 FOR NO KEY UPDATE),
  due AS (
    UPDATE notification_deliveries SET due_at = now() FROM endpoint
    WHERE endpoint_id = endpoint.id AND request_id = $2 AND state = 'waiting' AND sent_with IS NULL
    RETURNING endpoint_id
  ),
  made_due AS (
    UPDATE notification_endpoints SET next_due_at = now(), sent_at = NULL WHERE id IN (SELECT endpoint_id FROM due)
  )
  SELECT EXISTS (SELECT 1 FROM notification_deliveries WHERE endpoint_id = $1 AND request_id = $2) AS known`;

import type { Environment } from '../../environment/environment.ts';
import type { BenchProcess } from '../../environment/processes.ts';

/** Adds a webhook with the expert's key, and returns its id. */
export async function addWebhook(
  { user }: Environment,
  { port }: BenchProcess,
  url: string,
): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/webhooks`, {
    method: 'POST',
    headers: { 'x-api-key': user.providerKey, 'content-type': 'application/json' },
    body: JSON.stringify({ url }),
  });
  if (!answer.ok) throw new Error(`A webhook was answered ${answer.status} ${await answer.text()}`);
  return ((await answer.json()) as { id: string }).id;
}

/** Deliveries that are due, in equal parts for some webhooks. */
export const insertDue = (environment: Environment, ids: readonly string[], count: number) =>
  environment.database.query(
    `WITH inserted AS (
       INSERT INTO notification_deliveries (id, endpoint_id, type, event_at, due_at)
       SELECT 'msg_' || md5(random()::text || n), ($1::uuid[])[1 + n % cardinality($1::uuid[])], 'webhook.test', now(), now()
       FROM generate_series(1, $2::int) AS n)
     UPDATE notification_endpoints SET next_due_at = now() WHERE id = ANY($1::uuid[])`,
    [ids, count],
  );

import { makeCertificate } from '../../../services/notifier/src/testing/make-certificate.ts';
import type { Environment } from '../../environment/environment.ts';

type Urls = Readonly<Record<string, string>>;

/** The address of each receiver of `programs/receivers.ts`, by what it does. */
export async function openReceivers(environment: Environment): Promise<Urls> {
  const certificate = makeCertificate('receiver.test');
  // The one that works has a process of its own, which the floods of the others do not slow down.
  const good = await environment.program('receivers', {}, 'receiver');
  const bad = await environment.program('receivers');
  const [{ works = '' }, hostile] = [
    await good.call<Urls>('open', certificate),
    await bad.call<Urls>('open', certificate),
  ];
  return { ...hostile, works };
}

/** Calls about webhooks, with the expert's key. */
export async function callWebhooks(environment: Environment) {
  const { port } = await environment.service('gateway');
  const { providerKey } = environment.user;
  async function call<T>(method: string, path: string, body?: object): Promise<T> {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/webhooks${path}`, {
      method,
      headers: { 'x-api-key': providerKey, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path} was answered ${answer.status} ${await answer.text()}`);
    return (answer.status === 204 ? undefined : await answer.json()) as T;
  }
  return {
    /** Returns its id. */
    add: async (url: string) => (await call<{ id: string }>('POST', '', { url })).id,
    remove: (id: string) => call<void>('DELETE', `/${id}`),
  };
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

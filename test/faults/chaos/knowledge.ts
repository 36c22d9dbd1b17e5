import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { sendCall } from '../../black-box/http-call.ts';
import { seedCrowd } from '../load/seed-crowd.ts';
import type { Knowledge } from './attack/connection.ts';
import { signInDev } from './sign-in-dev.ts';
import type { ChaosStage } from './stage.ts';

const ownRequests = 40;
/** Longer than any run: a conversation that has ended takes no more messages. */
const lastingMs = 24 * 3_600_000;
const fatMessages = 12;
const fatMessageLength = 700_000;

/** Gives the attacker requests that do not end, one with a long conversation; what is left is kept fresh. */
export async function prepareAttacker(stage: ChaosStage): Promise<() => Promise<Knowledge>> {
  const { database, mallory, gatewayUrl, hubUrl } = stage;
  await seedCrowd(database, mallory.userId, { count: ownRequests, dueAt: lastingMs, spread: 1 }, lastingMs);
  const rows = await database.query<{ id: string; refCode: string }>(
    `SELECT id, 'HS-' || ref_code AS "refCode" FROM help_requests WHERE user_id = $1 ORDER BY id`,
    [mallory.userId],
  );
  const requestIds = rows.map(({ id }) => id);
  const agent = new Agent({ keepAlive: true });
  const headers = { 'content-type': 'application/json', 'x-api-key': mallory.consumerKey };
  const post = async (path: string, json: object, status: number) => {
    const forwarded = { ...headers, 'x-forwarded-for': '10.9.9.9' };
    const answer = await sendCall(
      gatewayUrl,
      { method: 'POST', path, headers: forwarded, body: JSON.stringify(json) },
      agent,
    );
    if (answer.status !== status) throw new Error(`POST ${path} answered ${answer.status}: ${answer.text}`);
    return answer.json;
  };
  for (let count = 0; count < fatMessages; count++) {
    const message = { role: 'consumer', messageId: randomUUID(), plaintext: 'x'.repeat(fatMessageLength) };
    await post(`/api/v1/message/${requestIds[0]}`, message, 201);
  }

  return async () => {
    const topics = [`/svc/requests/${requestIds[1]}`];
    const { token } = await post('/api/v1/stream-token', { topics }, 201);
    return {
      ...mallory,
      gatewayHost: new URL(gatewayUrl).host,
      hubHost: new URL(hubUrl).host,
      cookie: await signInDev(gatewayUrl, 'mallory'),
      streamToken: token,
      requestIds,
      refCodes: rows.map(({ refCode }) => refCode),
    };
  };
}

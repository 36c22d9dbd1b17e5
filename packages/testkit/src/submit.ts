import { randomUUID } from 'node:crypto';
import { untilAvailable } from './until-available.ts';

export interface Submitted {
  status: number;
  headers: Headers;
  body: { requestId: string; refCode: string; status: string; expiresAt: string };
}

/**
 * Submits a help request without encryption, which needs only an API key. A relay that a busy machine delays may answer
 * 503: the submit is then repeated, as clients do, and the relay accepts it once.
 */
export async function submit(
  gatewayUrl: string,
  apiKey: string,
  request: { question?: string; plaintext?: string } = {},
): Promise<Submitted> {
  const headers = { 'content-type': 'application/json', 'idempotency-key': randomUUID() };
  const body = JSON.stringify({ apiKey, messages: [], plaintext: 'I am stuck.', ...request });
  const response = await untilAvailable(() =>
    fetch(`${gatewayUrl}/api/v1/help`, { method: 'POST', headers, body }),
  );
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Submitted['body'],
  };
}

import { generateKeyPairSync, randomUUID } from 'node:crypto';
import type { Constellation, Tenant } from '@expert-relay/constellation';
import { untilAvailable } from '@expert-relay/testkit';

export interface Reply {
  status: number;
  body: Record<string, unknown>;
}

/** One call with a key. */
export async function ask(
  relay: Constellation,
  method: string,
  path: string,
  { key, body, headers }: { key?: string; body?: unknown; headers?: Record<string, string> } = {},
): Promise<Reply> {
  const response = await untilAvailable(() =>
    fetch(relay.gatewayUrl + path, {
      method,
      headers: { 'content-type': 'application/json', ...(key && { 'x-api-key': key }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
  );
  return { status: response.status, body: (await response.json()) as Reply['body'] };
}

/** Submits a request in plain text. Returns its id. */
export async function submit(relay: Constellation, tenant: Tenant): Promise<string> {
  const body = { apiKey: tenant.consumerKey, messages: [], plaintext: 'help' };
  const reply = await ask(relay, 'POST', '/api/v1/help', { body });
  return String(reply.body.requestId);
}

export const textMessage = (role: 'consumer' | 'provider', plaintext = 'hello') => ({
  role,
  plaintext,
  messageId: randomUUID(),
});

export const providerKeys = () => ({
  providerSignPubKey: publicPem('ed25519'),
  providerEncryptPubKey: publicPem('x25519'),
});

const publicPem = (algorithm: 'ed25519' | 'x25519') =>
  generateKeyPairSync(algorithm as 'ed25519').publicKey.export({ type: 'spki', format: 'pem' }) as string;

/** The number of responses with each status. */
export function tally(replies: readonly Reply[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

export const times = <T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));

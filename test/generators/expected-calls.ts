import { generateKeyPairSync } from 'node:crypto';
import type { Constellation } from '@expert-relay/constellation';

/** The environment of a program that makes the usual calls of an agent and an expert. */
export async function callerEnv(relay: Constellation): Promise<Record<string, string>> {
  const { consumerKey, providerKey } = await relay.makeTenant();
  return {
    RELAY_URL: relay.gatewayUrl,
    CONSUMER_KEY: consumerKey,
    PROVIDER_KEY: providerKey,
    SIGN_PUBLIC_KEY: publicKey('ed25519'),
    ENCRYPT_PUBLIC_KEY: publicKey('x25519'),
  };
}

/** The JSON that both programs print. */
export const expectedCalls = {
  found: 'pending',
  sent: 'responded',
  polled: 1,
  texts: ['Yes, it is stale.'],
  listed: [true],
  token: 3,
  kind: 'provider',
  closed: 'closed',
  error: 'conversation_closed',
};

function publicKey(algorithm: 'ed25519' | 'x25519'): string {
  const { publicKey } = generateKeyPairSync(algorithm as 'ed25519');
  return publicKey.export({ type: 'spki', format: 'pem' }).toString();
}

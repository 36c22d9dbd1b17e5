import { generateKeyPairSync, randomBytes } from 'node:crypto';

const pairs = [
  'GATEWAY_REQUESTS',
  'GATEWAY_MESSAGES',
  'GATEWAY_DASHBOARD',
  'DASHBOARD_REQUESTS',
  'DASHBOARD_MESSAGES',
  'HUB_REQUESTS',
] as const;

/** Fresh keys for everything that the services sign to each other, as their environment holds them. */
export function makeSecrets(): Record<string, string> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const principalKeys = pairs.map((pair) => [`RELAY_PRINCIPAL_KEY_${pair}`, `test:${random()}`]);
  return {
    ...Object.fromEntries(principalKeys),
    RELAY_SESSION_SECRET: random(),
    RELAY_STREAM_TOKEN_PRIVATE_KEY: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64url'),
    RELAY_STREAM_TOKEN_PUBLIC_KEYS: publicKey.export({ format: 'der', type: 'spki' }).toString('base64url'),
  };
}

const random = () => randomBytes(32).toString('base64url');

import { createECDH, generateKeyPairSync, randomBytes } from 'node:crypto';
import { type Home, readJson, writeJson } from './home.ts';

/** Caller and called service: each pair signs with a key of its own. */
const principalPairs = [
  'GATEWAY_REQUESTS',
  'GATEWAY_MESSAGES',
  'GATEWAY_DASHBOARD',
  'GATEWAY_NOTIFIER',
  'DASHBOARD_REQUESTS',
  'DASHBOARD_MESSAGES',
  'DASHBOARD_NOTIFIER',
  'HUB_REQUESTS',
] as const;

type PrincipalPair = (typeof principalPairs)[number];

/** The user that `npm start` makes. */
export interface DevUser {
  userId: string;
  consumerKey: string;
  providerKey: string;
}

/** Made once and stored: sessions, keys and data stay valid from one start to the next. */
export interface Secrets {
  postgresPassword: string;
  sessionSecret: string;
  streamTokenPrivateKey: string;
  streamTokenPublicKey: string;
  endpointKeys: string;
  vapidKeys: string;
  principalKeys: Record<PrincipalPair, string>;
  devUser?: DevUser;
}

export function readSecrets(home: Home): Secrets {
  const kept = readJson<Partial<Secrets>>(home.file('secrets.json')) ?? {};
  const made = makeSecrets();
  const principalKeys = { ...made.principalKeys, ...kept.principalKeys };
  const secrets = { ...made, ...kept, principalKeys };
  writeSecrets(home, secrets);
  return secrets;
}

export function writeSecrets(home: Home, secrets: Secrets): void {
  writeJson(home.file('secrets.json'), secrets);
}

export function makeSecrets(): Secrets {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const principalKeys = principalPairs.map((pair) => [pair, `local:${random(32)}`]);
  return {
    postgresPassword: random(24),
    sessionSecret: random(32),
    streamTokenPrivateKey: privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64url'),
    streamTokenPublicKey: publicKey.export({ type: 'spki', format: 'der' }).toString('base64url'),
    endpointKeys: `local:${random(32)}`,
    vapidKeys: vapidKey(),
    principalKeys: Object.fromEntries(principalKeys),
  };
}

/** The secrets as settings of the services. */
export function secretSettings(secrets: Secrets): Record<string, string> {
  const principalKeys = Object.entries(secrets.principalKeys).map(([pair, key]) => [
    `RELAY_PRINCIPAL_KEY_${pair}`,
    key,
  ]);
  return {
    ...Object.fromEntries(principalKeys),
    RELAY_SESSION_SECRET: secrets.sessionSecret,
    RELAY_STREAM_TOKEN_PRIVATE_KEY: secrets.streamTokenPrivateKey,
    RELAY_STREAM_TOKEN_PUBLIC_KEYS: secrets.streamTokenPublicKey,
    RELAY_ENDPOINT_KEYS: secrets.endpointKeys,
    RELAY_VAPID_KEYS: secrets.vapidKeys,
  };
}

function vapidKey(): string {
  const pair = createECDH('prime256v1');
  pair.generateKeys();
  // A key that begins with zeros is returned without them.
  return Buffer.from(pair.getPrivateKey('hex').padStart(64, '0'), 'hex').toString('base64url');
}

function random(bytes: number): string {
  return randomBytes(bytes).toString('base64url');
}

import { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { listen } from '@expert-relay/kit/http';
import type { Overrides, Service } from '@expert-relay/kit/lifecycle';
import { createLog } from '@expert-relay/kit/log';
import { SignJWT } from 'jose';
import { readConfig } from '../config.ts';
import { create } from '../service.ts';
import { createTestRequests } from './test-requests.ts';

export const principalKey = { id: 'test', secret: randomBytes(32) };
const keys = generateKeyPairSync('ed25519');

export interface TestHub extends AsyncDisposable {
  readonly url: string;
  readonly service: Service;
  /** Waits until it is ready and follows the stream: it stays ready while NATS is away. */
  ready(): Promise<void>;
  metrics(): Promise<string>;
}

/** The hub with the parts that it has in production, on a free port. */
export async function startTestHub(options: {
  prefix: string;
  env?: Record<string, string>;
  overrides?: Overrides;
  isReady?: boolean;
}): Promise<TestHub> {
  const requests = createTestRequests((_, response) => response.writeHead(503).end()).unref();
  const config = readConfig({
    NATS_URL: process.env.NATS_URL,
    RELAY_HOST: '127.0.0.1',
    RELAY_PORT: '0',
    RELAY_OPS_PORT: '0',
    RELAY_SHUTDOWN_PAUSE: '0s',
    RELAY_NATS_PREFIX: options.prefix,
    RELAY_REQUESTS_URL: options.env?.RELAY_REQUESTS_URL ?? (await listen(requests, '127.0.0.1', 0)),
    RELAY_PRINCIPAL_KEY_HUB_REQUESTS: `test:${principalKey.secret.toString('base64url')}`,
    RELAY_STREAM_TOKEN_PUBLIC_KEYS: keys.publicKey
      .export({ format: 'der', type: 'spki' })
      .toString('base64url'),
    RELAY_HUB_MAX_STREAMS_PER_ADDRESS: '0',
    RELAY_HUB_SCANS_PER_ADDRESS: '0',
    RELAY_HUB_SCANS_PER_CREDENTIAL: '0',
    RELAY_HUB_SCANS_PER_USER: '0',
    RELAY_HUB_DRAIN_SPREAD: '0s',
    ...options.env,
  });
  const log = createLog('hub', { level: process.env.RELAY_LOG_LEVEL === 'info' ? 'info' : 'silent' });
  const service = create(config, { log, ...options.overrides });
  await service.start();

  const ready = async () => {
    for (let tries = 0; tries < 6_000; tries++) {
      const response = await fetch(`${service.opsUrl}/readyz`);
      const { ready, away } = (await response.json()) as { ready: boolean; away: object };
      if (ready && Object.keys(away).length === 0) return;
      await pause(10);
    }
    throw new Error('The hub did not become ready within 60 s.');
  };
  if (options.isReady ?? true) await ready();
  return {
    get url() {
      return service.url;
    },
    service,
    ready,
    metrics: async () => (await fetch(`${service.opsUrl}/metrics`)).text(),
    async [Symbol.asyncDispose]() {
      await service.stop();
      requests.closeAllConnections();
      requests.close();
    },
  };
}

/** A stream token as the requests service would sign it. */
export function makeToken(
  topics: readonly string[],
  claims: {
    userId?: string;
    /** Without a time, it began when the token was issued. */
    cred?: { kind: string; id: string; begunAt?: number; secret?: { createdAt: number; endsAt?: number } };
    issuedAt?: number;
    expiresAt?: number;
    issuer?: string;
    audience?: string;
    typ?: string;
    key?: KeyObject;
  } = {},
): Promise<string> {
  const now = Math.floor(Date.now() / 1_000);
  const { cred = { kind: 'provider', id: 'a-key' }, issuedAt = now } = claims;
  const begunAt = issuedAt * 1_000;
  return new SignJWT({ topics, cred: { begunAt, secret: { createdAt: begunAt }, ...cred } })
    .setProtectedHeader({ alg: 'EdDSA', typ: claims.typ ?? 'relay-stream+jwt' })
    .setIssuer(claims.issuer ?? 'expert-relay')
    .setAudience(claims.audience ?? 'hub')
    .setSubject(claims.userId ?? 'a-user')
    .setIssuedAt(issuedAt)
    .setExpirationTime(claims.expiresAt ?? now + 300)
    .sign(claims.key ?? keys.privateKey);
}

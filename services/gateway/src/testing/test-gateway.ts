import { randomBytes } from 'node:crypto';
import type { PrismaClient } from '@expert-relay/db';
import { createDatabase } from '@expert-relay/db/prisma';
import { createTestDatabase, patient } from '@expert-relay/db/testing';
import { type KeyKind, makeApiKey } from '@expert-relay/kit/api-key';
import type { Clock } from '@expert-relay/kit/clock';
import type { Service } from '@expert-relay/kit/lifecycle';
import { createLog } from '@expert-relay/kit/log';
import { afterAll, afterEach, beforeAll } from '@jest/globals';
import { type UpstreamName, upstreamNames } from '../call/edge-call.ts';
import { readConfig } from '../config.ts';
import { create } from '../service.ts';
import { createTestUpstream, type TestUpstream } from './test-upstream.ts';

export interface TestKey {
  readonly text: string;
  readonly id: string;
  readonly userId: string;
}

export interface TestGateway {
  readonly url: string;
  readonly service: Service;
  readonly prisma: PrismaClient;
  readonly upstreams: Readonly<Record<UpstreamName, TestUpstream>>;
  /** The log lines so far. */
  readonly lines: readonly Record<string, unknown>[];
  readonly natsPrefix: string;
  makeKey(kind: KeyKind): Promise<TestKey>;
  /** The sum of a metric's samples that have all of these labels. */
  metric(name: string, labels?: Record<string, string>): Promise<number>;
  stop(): Promise<void>;
}

interface Options {
  env?: Record<string, string>;
  clock?: Clock;
  /** The connection to Postgres, if the test interrupts it. */
  proxy?: { readonly url: string };
  halfClosedReadMs?: number;
  stallTimeoutMs?: number;
  transferLimits?: { minRate?: number; graceMs?: number };
}

/** Starts one gateway for all tests of a file, with a key of each kind. Its properties are set before the first test. */
export function useTestGateway(options: Options = {}) {
  const gateway = {} as TestGateway & { readonly consumer: TestKey; readonly provider: TestKey };

  beforeAll(async () => {
    const started = await startTestGateway(options);
    Object.defineProperties(gateway, Object.getOwnPropertyDescriptors(started));
    Object.assign(gateway, {
      consumer: await started.makeKey('consumer'),
      provider: await started.makeKey('provider'),
    });
  });
  afterEach(() => {
    for (const upstream of Object.values(gateway.upstreams)) upstream.handler = undefined;
  });
  afterAll(() => gateway.stop());
  return gateway;
}

/** The gateway with real servers, and with upstreams that record the calls they receive. */
export async function startTestGateway(options: Options = {}): Promise<TestGateway> {
  const database = await createTestDatabase(process.env.DATABASE_URL ?? '');
  const testDatabase = createDatabase({
    url: database.url,
    poolSize: 1,
    log: createLog('test', { level: 'silent' }),
    ...patient,
  });
  await testDatabase.start?.();

  const secrets = Object.fromEntries(upstreamNames.map((name) => [name, randomBytes(32)])) as Record<
    UpstreamName,
    Buffer
  >;
  const entries = upstreamNames.map(
    (name) => [name, createTestUpstream(name, [{ id: 'test', secret: secrets[name] }])] as const,
  );
  for (const [, upstream] of entries) await upstream.start();
  const upstreams = Object.fromEntries(entries) as Record<UpstreamName, TestUpstream>;

  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const natsPrefix = `test-${randomBytes(6).toString('hex')}`;
  const config = readConfig({
    DATABASE_URL: throughProxy(database.url, options.proxy),
    NATS_URL: process.env.NATS_URL,
    RELAY_NATS_PREFIX: natsPrefix,
    RELAY_HOST: '127.0.0.1',
    RELAY_PORT: '0',
    RELAY_OPS_PORT: '0',
    RELAY_SHUTDOWN_PAUSE: '0s',
    RELAY_START_PATIENCE: '60s',
    RELAY_PUBLIC_URL: 'https://relay.example',
    RELAY_RATE_LIMIT_PAGES: '0',
    RELAY_RATE_LIMIT_API: '0',
    RELAY_RATE_LIMIT_POLL: '0',
    ...Object.fromEntries(entries.map(([name, { url }]) => [`RELAY_${name.toUpperCase()}_URL`, url])),
    ...Object.fromEntries(
      upstreamNames.map((name) => [
        `RELAY_PRINCIPAL_KEY_GATEWAY_${name.toUpperCase()}`,
        `test:${secrets[name].toString('base64url')}`,
      ]),
    ),
    ...options.env,
  });
  const service = create(config, {
    log: createLog('gateway', { level: 'debug', destination }),
    ...(options.clock && { clock: options.clock }),
    halfClosedReadMs: options.halfClosedReadMs,
    ...(options.stallTimeoutMs && { stallTimeoutMs: options.stallTimeoutMs }),
    ...(options.transferLimits && { transferLimits: options.transferLimits }),
  });
  await service.start();

  return {
    get url() {
      return service.url;
    },
    service,
    prisma: testDatabase.prisma,
    upstreams,
    lines,
    natsPrefix,
    makeKey: (kind) => makeKey(testDatabase.prisma, kind),
    async metric(name, labels = {}) {
      const text = await (await fetch(`${service.opsUrl}/metrics`)).text();
      const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
      const samples = text.split('\n').filter((line) => line.startsWith(`${name}{`));
      const found = samples.filter((line) => wanted.every((label) => line.includes(label)));
      return found.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
    },
    async stop() {
      await service.stop();
      for (const [, upstream] of entries) await upstream.stop();
      await testDatabase.stop?.();
      await database.drop();
    },
  };
}

async function makeKey(prisma: PrismaClient, kind: KeyKind): Promise<TestKey> {
  const { text, digest, lastFour } = makeApiKey(kind);
  const secret = { secretDigest: new Uint8Array(digest), callId: crypto.randomUUID() };
  const { id, userId } = await prisma.apiKey.create({
    data: {
      kind,
      name: 'a key',
      lastFour,
      callId: crypto.randomUUID(),
      user: { create: { name: 'Ada' } },
      secrets: { create: secret },
    },
  });
  return { text, id, userId };
}

function throughProxy(databaseUrl: string, proxy: { readonly url: string } | undefined): string {
  const url = new URL(databaseUrl);
  if (proxy) url.host = new URL(proxy.url).host;
  return url.href;
}

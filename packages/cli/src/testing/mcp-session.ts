import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Constellation,
  type ConstellationOptions,
  startConstellation,
  type Tenant,
} from '@expert-relay/constellation';
import { makeRoot } from '@expert-relay/sdk/crypto';
import { createExpert, type Expert, type ExpertRequest } from '@expert-relay/sdk/expert';
import { createTcpProxy, eventually, type TcpProxy } from '@expert-relay/testkit';
import { afterAll, beforeAll } from '@jest/globals';
import { loadSdk } from './load-sdk.ts';
import { type McpClient, type McpServerOptions, startMcpClient, type ToolAnswer } from './mcp-client.ts';

type Env = Readonly<Record<string, string>>;

/** An agent and an expert of one tenant, for one test. */
export interface McpSession {
  readonly relay: Constellation;
  readonly tenant: Tenant;
  /** The agent's connection to the gateway. */
  readonly proxy: TcpProxy;
  /** The environment variables of the agent's servers, among them RELAY_CONFIG_DIR, an empty folder. */
  readonly env: Env;
  readonly expert: Expert;
  /** The expert's root, for further devices. */
  readonly root: Uint8Array;
  /** Starts an MCP server with its client. It is closed after the test. */
  start(env?: Env, options?: Omit<McpServerOptions, 'env'>): Promise<McpClient>;
  /** The client that was started last. */
  readonly agent: McpClient;
  /** Asks with the last client, and returns the request that the expert gets. */
  ask(input?: Record<string, unknown>): Promise<{ reference: string; request: ExpertRequest }>;
  /** Waits with the last client. */
  wait(reference: string, maxSeconds?: number): Promise<ToolAnswer>;
  /**
   * The same, where no answer may come. It is repeated while the relay is too slow: a wait in which the relay does not
   * answer ends as "unreachable".
   */
  waitWithoutAnswer(reference: string): Promise<ToolAnswer>;
  /** What the relay lists of a request. */
  listed(requestId: string): Promise<ReturnType<typeof JSON.parse>>;
  /** As the relay itself could write an answer: it is not signed. */
  answerInPlainText(requestId: string, plaintext: string): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a relay before the tests of a file, and stops it after them. */
export function useMcpRelay(options: ConstellationOptions = {}) {
  let relay: Constellation;
  beforeAll(async () => {
    relay = await startConstellation(options);
    await loadSdk(relay);
  });
  afterAll(() => relay.stop());
  /** A test with a separate session, so that tests can run at the same time. It starts its clients. */
  const withSession = (check: (session: McpSession) => Promise<void>) => async () => {
    const session = await openSession(relay);
    await check(session).finally(session.stop);
  };
  return {
    openSession: () => openSession(relay),
    withSession,
    /** The same with a first client. */
    withClient: (check: (session: McpSession) => Promise<void>) =>
      withSession(async (session) => {
        await session.start();
        await check(session);
      }),
  };
}

async function openSession(relay: Constellation): Promise<McpSession> {
  const tenant = await relay.makeTenant();
  const proxy = await createTcpProxy(relay.gatewayUrl);
  const folder = mkdtempSync(join(tmpdir(), 'relay-mcp-'));
  const root = makeRoot();
  const expert = createExpert({ url: relay.gatewayUrl, apiKey: tenant.providerKey, root });
  const env = { RELAY_URL: proxy.url, RELAY_API_KEY: tenant.consumerKey, RELAY_CONFIG_DIR: folder };
  const clients: McpClient[] = [];
  const session: McpSession = {
    relay,
    tenant,
    proxy,
    env,
    expert,
    root,
    async start(changes = {}, options = {}) {
      const client = await startMcpClient({ env: { ...env, ...changes }, ...options });
      clients.push(client);
      return client;
    },
    get agent() {
      const last = clients.at(-1);
      if (!last) throw new Error('No client was started.');
      return last;
    },
    async ask(input = {}) {
      const question = 'May I remove the lock?';
      const { data, isError, text } = await session.agent.call('ask_expert', { question, ...input });
      if (isError) throw new Error(text);
      return { reference: data.reference, request: await expert.request(data.reference) };
    },
    wait: (reference, max_seconds = 50) => session.agent.call('wait_for_answer', { reference, max_seconds }),
    waitWithoutAnswer: (reference) =>
      eventually('a wait without an answer', async () => {
        const answer = await session.wait(reference, 2);
        // A call that took too long to start is an error, without data.
        if (answer.data?.answers.length > 0) throw new Error(`An answer came: ${answer.text}`);
        return answer.data?.outcome === 'still_waiting' ? answer : undefined;
      }),
    async listed(requestId) {
      const response = await fetch(`${relay.gatewayUrl}/api/v1/messages/${requestId}`, {
        headers: { 'x-api-key': tenant.providerKey },
      });
      return response.json();
    },
    async answerInPlainText(requestId, plaintext) {
      const response = await fetch(`${relay.gatewayUrl}/api/v1/message/${requestId}`, {
        method: 'POST',
        headers: { 'x-api-key': tenant.providerKey, 'content-type': 'application/json' },
        body: JSON.stringify({ role: 'provider', plaintext }),
      });
      if (!response.ok) throw new Error(await response.text());
    },
    async stop() {
      for (const client of clients) await client.close();
      expert.stop();
      await proxy.stop();
      rmSync(folder, { recursive: true });
    },
  };
  return session;
}

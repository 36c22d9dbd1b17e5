import { startConstellation } from '@expert-relay/constellation';
import { createRelay, type RelayOptions } from '@expert-relay/sdk';
import { makeRoot, openExpertKeys } from '@expert-relay/sdk/crypto';
import { createExpert, type ExpertOptions, type ExpertRequest } from '@expert-relay/sdk/expert';
import { createFileStore } from '@expert-relay/sdk/node';
import { verifyReceipt } from '@expert-relay/sdk/receipt';
import { createTcpProxy, type LyingRelay, startLyingRelay } from '@expert-relay/testkit';
import { type Alteration, lieOf } from '@expert-relay/testkit/lies';
import { serveObjects } from './remote-objects.ts';

const timing = {
  backoffMs: 20,
  maxBackoffMs: 100,
  patienceMs: 30_000,
  openingMs: 500,
  silenceMs: 2_000,
  pollMs: 200,
  recheckMs: 800,
};

/** A relay for the tests in Python, which use the TypeScript SDK as the other side, and proxies that lie or break. */
export async function serveRelay(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const relay = await startConstellation({ env: { RELAY_HUB_RETRY: '100ms' } });
  const url = relay.gatewayUrl;
  const stops: (() => unknown)[] = [];
  const stopLater = <T extends { stop(): unknown }>(started: T): T => {
    stops.push(() => started.stop());
    return started;
  };
  const served = await serveObjects({
    urls: () => ({ gatewayUrl: url, hubUrl: relay.hubUrl }),
    makeTenant: () => relay.makeTenant(),
    makeRoot,
    rewriteJson: (text: string) => JSON.stringify(JSON.parse(text)),
    originOf: (url: string) => new URL(url).origin,
    agent: (options: Omit<RelayOptions, 'url'>) => stopLater(createRelay({ url, timing, ...options })),
    expert: (options: Omit<ExpertOptions, 'url'>) => stopLater(createExpert({ url, timing, ...options })),
    store: createFileStore,
    verifyReceipt,
    fingerprintOf: async (root: Uint8Array) => (await openExpertKeys(root)).fingerprint,
    liar: async () => stopLater(await startLyingRelay(relay)),
    tell: (liar: LyingRelay, alter: readonly Alteration[], values: Record<string, unknown>) =>
      liar.tell(lieOf(alter, values)),
    proxy: async () => stopLater(await createTcpProxy(url)),
    nextMessages: async (request: ExpertRequest, count: number) => {
      const messages = [];
      for await (const message of request.messages) {
        messages.push(message);
        if (messages.length === count) break;
      }
      return messages;
    },
  });
  return {
    url: served.url,
    async stop() {
      served.stop();
      for (const stop of stops.reverse()) await stop();
      await relay.stop();
    },
  };
}

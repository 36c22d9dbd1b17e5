import {
  type Constellation,
  type ConstellationOptions,
  startConstellation,
  type Tenant,
} from '@expert-relay/constellation';
import { type LyingRelay, startLyingRelay } from '@expert-relay/testkit';
import { afterAll, beforeAll } from '@jest/globals';
import { createExpert, type Expert, type ExpertOptions } from '../expert/index.ts';
import { createRelay, type Relay, type RelayOptions } from '../index.ts';
import { quick } from './quick.ts';

/** The relay that the tests of one file share. Its members can be used once the tests run. */
export interface TestServer {
  readonly constellation: Constellation;
  readonly gatewayUrl: string;
  readonly hubUrl: string;
  /** The keys that `agent` and `expert` use. */
  readonly tenant: Tenant;
  /** A client that retries after milliseconds. It is stopped after the tests. */
  agent(options?: Partial<RelayOptions>): Relay;
  /** The same for an expert. Without the option `root` it has no keys. */
  expert(options?: Partial<ExpertOptions>): Expert;
  /** A proxy in front of this relay, which can change all calls and answers. It is stopped after the tests. */
  startLyingRelay(): Promise<LyingRelay>;
  /** Calls this after the tests, before the relay stops. The last one is called first. */
  onStop(stop: () => unknown): void;
}

/** Starts a relay before the tests of a file, and stops it after them. */
export function useTestServer({ env, ...options }: ConstellationOptions = {}): TestServer {
  let constellation: Constellation;
  let tenant: Tenant;
  const stops: (() => unknown)[] = [];
  const stopLater = <T extends { stop(): unknown }>(started: T): T => {
    stops.push(() => started.stop());
    return started;
  };

  beforeAll(async () => {
    constellation = await startConstellation({ env: { RELAY_HUB_RETRY: '100ms', ...env }, ...options });
    tenant = await constellation.makeTenant();
  });
  afterAll(async () => {
    for (const stop of stops.reverse()) await stop();
    await constellation.stop();
  });

  return {
    get constellation() {
      return constellation;
    },
    get gatewayUrl() {
      return constellation.gatewayUrl;
    },
    get hubUrl() {
      return constellation.hubUrl;
    },
    get tenant() {
      return tenant;
    },
    agent: (own) =>
      stopLater(
        createRelay({ url: constellation.gatewayUrl, apiKey: tenant.consumerKey, timing: quick, ...own }),
      ),
    expert: (own) =>
      stopLater(
        createExpert({ url: constellation.gatewayUrl, apiKey: tenant.providerKey, timing: quick, ...own }),
      ),
    startLyingRelay: async () => stopLater(await startLyingRelay(constellation)),
    onStop: (stop) => void stops.push(stop),
  };
}

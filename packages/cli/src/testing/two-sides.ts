import {
  type Constellation,
  type ConstellationOptions,
  startConstellation,
} from '@expert-relay/constellation';
import { openStage, type Stage } from './stage.ts';

/** A relay, a command line, and the environments of an agent and an expert. */
export interface TwoSides extends Stage {
  readonly relay: Constellation;
  readonly agent: Readonly<Record<string, string>>;
  readonly expert: Readonly<Record<string, string>>;
}

export async function openTwoSides(options: ConstellationOptions = {}): Promise<TwoSides> {
  const relay = await startConstellation(options);
  const stage = await openStage();
  const { consumerKey, providerKey } = await relay.makeTenant();
  const RELAY_URL = relay.gatewayUrl;
  return {
    ...stage,
    relay,
    agent: { RELAY_URL, RELAY_API_KEY: consumerKey, RELAY_CONFIG_DIR: `${stage.folder}/agent` },
    expert: { RELAY_URL, RELAY_API_KEY: providerKey, RELAY_CONFIG_DIR: `${stage.folder}/expert` },
    async stop() {
      await stage.stop();
      await relay.stop();
    },
  };
}

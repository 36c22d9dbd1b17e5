import type { Constellation } from '@expert-relay/constellation';
import { createRelay } from '@expert-relay/sdk';
import { createExpert } from '@expert-relay/sdk/expert';

/**
 * Makes the SDK load what it loads with the first conversation and the first form: jest refuses imports in tests that run at
 * the same time as others.
 */
export async function loadSdk(relay: Constellation): Promise<void> {
  const { consumerKey, providerKey } = await relay.makeTenant();
  const agent = createRelay({ url: relay.gatewayUrl, apiKey: consumerKey });
  const expert = createExpert({ url: relay.gatewayUrl, apiKey: providerKey });
  const form = { type: 'object', properties: {} } as const;
  const { requestId } = await agent.ask({ question: 'Is all loaded?', form });
  await expert.request(requestId);
  agent.stop();
  expert.stop();
}

import type { Constellation, ConstellationOptions } from '@expert-relay/constellation';
import { createRelay, type Relay } from './relay.ts';

/**
 * The relay under test: the one that `RELAY_TEST_URL` and `RELAY_TEST_HUB_URL` name (with its rate limits
 * off and `POST /auth/dev` on, as with `npm start`), else one of its own.
 */
export async function openRelay(): Promise<Relay> {
  const { RELAY_TEST_URL: url, RELAY_TEST_HUB_URL: hubUrl } = process.env;
  if (url && hubUrl) return createRelay({ url, hubUrl, stop: async () => {} });
  return openOwnRelay();
}

/** One with settings that a test is about. */
export async function openOwnRelay(
  options: ConstellationOptions = {},
): Promise<Relay & { constellation: Constellation }> {
  // Only here: against a URL, nothing of the product's own code is loaded.
  const { startConstellation } = await import('@expert-relay/constellation');
  const constellation = await startConstellation(options);
  const { gatewayUrl, hubUrl, stop } = constellation;
  return { ...createRelay({ url: gatewayUrl, hubUrl, stop }), constellation };
}

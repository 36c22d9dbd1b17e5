import type { Constellation, ConstellationOptions } from '@expert-relay/constellation';
import { createRelay, type Relay } from './relay.ts';

/**
 * The relay under test: the one at `RELAY_TEST_URL` and `RELAY_TEST_HUB_URL`, or else a new one. A relay at these URLs
 * must have its rate limits off and `POST /auth/dev` on, as `npm start` has.
 */
export async function openRelay(): Promise<Relay> {
  const { RELAY_TEST_URL: url, RELAY_TEST_HUB_URL: hubUrl } = process.env;
  if (url && hubUrl) return createRelay({ url, hubUrl, stop: async () => {} });
  return openOwnRelay();
}

/** A new relay, with its own settings. */
export async function openOwnRelay(
  options: ConstellationOptions = {},
): Promise<Relay & { constellation: Constellation }> {
  // Loaded on demand: tests of a relay at a URL load no code of the product.
  const { startConstellation } = await import('@expert-relay/constellation');
  const constellation = await startConstellation(options);
  const { gatewayUrl, hubUrl, stop } = constellation;
  return { ...createRelay({ url: gatewayUrl, hubUrl, stop }), constellation };
}

import * as z from 'zod';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { relayName } from '../store/relay-name.ts';
import { openStore } from '../store/store.ts';
import { type Probe, probe } from './probe.ts';
import { looking } from './timing.ts';

const health = z.object({ status: z.string(), version: z.string(), timestamp: z.iso.datetime() });
export type Health = z.infer<typeof health>;

/** The health answer of a gateway; undefined when the answer is not from a gateway. */
export const readHealth = (seen: Probe): Health | undefined =>
  'trouble' in seen ? undefined : health.safeParse(seen.body).data;

/** Longer than a working relay needs. A relay that does not answer is reported by the command itself. */
const patience = looking.firstMs;

/** Throws a Failure when RELAY_URL is not the address of a relay. */
export async function checkAddress({ config, signal }: Pick<Context, 'config' | 'signal'>): Promise<void> {
  const { url, folder } = config;
  if (url === undefined) return;
  const wrong = await findWrongAddress({ url, folder, signal });
  if (wrong) throw new Failure('usage', `RELAY_URL is wrong: ${wrong.message}.\n${wrong.next}`);
}

/**
 * What is wrong with an address that is not a relay's: answers from there would look like a refusal or an outage. Each address is
 * checked once.
 */
export async function findWrongAddress({
  url,
  folder,
  signal,
}: {
  url: string;
  folder: string;
  signal: AbortSignal;
}): Promise<{ message: string; next: string } | undefined> {
  const relays = openStore(folder, 'relays');
  const name = relayName(url);
  // A command that needs the folder reports what is wrong with it, and the next command checks again.
  if ((await relays.get(name).catch(() => undefined)) !== undefined) return undefined;
  const seen = await probe(`${url}/api/health`, { signal, patience });
  if (readHealth(seen)) {
    await relays.set(name, url).catch(() => {});
    return undefined;
  }
  return isSomethingElse(seen) ? await describeWrongAddress(url, seen.status, signal) : undefined;
}

/** Whether an answer shows that there is no gateway. Errors of a proxy do not show that. */
function isSomethingElse(seen: Probe): seen is Exclude<Probe, { trouble: string }> {
  return (
    !('trouble' in seen) && !seen.isTooLarge && seen.status < 500 && ![401, 403, 429].includes(seen.status)
  );
}

/** What answers at this address, as far as it can be recognized, and which address to set. */
export async function describeWrongAddress(
  url: string,
  status: number,
  signal: AbortSignal,
): Promise<{ message: string; next: string }> {
  const { origin } = new URL(url);
  if (origin !== url && readHealth(await probe(`${origin}/api/health`, { signal, patience }))) {
    return {
      message: `${url} has a path, and the relay is at the address without it`,
      next: `Set RELAY_URL=${origin}`,
    };
  }
  const root = await probe(url, { signal, patience });
  if (!('trouble' in root) && asksForTopic.safeParse(root.body).success) {
    return {
      message: `${url} is the address of an event hub`,
      next: 'Set RELAY_URL to the address of the gateway. The gateway names the address of the hub.',
    };
  }
  return {
    message: `${url} answers, but not as an Expert Relay does (${status})`,
    next: 'Set RELAY_URL to the address of the gateway, without a path.',
  };
}

/** The hub's answer to a call without a topic. */
const asksForTopic = z.object({
  status: z.literal(400),
  fields: z.array(z.object({ path: z.literal('topic') })),
});

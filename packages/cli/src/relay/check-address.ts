import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { writePrivate } from '../store/private-file.ts';
import { openRelayFolder } from '../store/relay-folder.ts';
import { type Look, look } from './look.ts';

const health = z.object({ status: z.string(), version: z.string(), timestamp: z.iso.datetime() });
export type Health = z.infer<typeof health>;

/** A gateway's health, from what its address answered; undefined when no gateway answers there. */
export const readHealth = (seen: Look): Health | undefined =>
  'trouble' in seen ? undefined : health.safeParse(seen.body).data;

/** Longer than any relay takes. One that is silent is reported by the command itself. */
const patience = 5_000;

/**
 * Fails when RELAY_URL is the address of something else: an answer from there would be taken for a refusal or an
 * outage. An address is looked at once; what was found is noted in its folder.
 */
export async function checkAddress({ config, signal }: Pick<Context, 'config' | 'signal'>): Promise<void> {
  const { url } = config;
  if (url === undefined) return;
  const mark = findMark(config.folder, url);
  if (mark && existsSync(mark)) return;
  const seen = await look(`${url}/api/health`, { signal, patience });
  if (readHealth(seen)) {
    if (mark) writeMark(mark);
    return;
  }
  if (!isSomethingElse(seen)) return;
  const { message, next } = await describeWrongAddress(url, seen.status, signal);
  throw new Failure('usage', `RELAY_URL is wrong: ${message}.\n${next}`);
}

/** Whether an answer shows that no gateway is there. A proxy before one that is away or busy shows nothing. */
function isSomethingElse(seen: Look): seen is Exclude<Look, { trouble: string }> {
  return (
    !('trouble' in seen) && !seen.isTooLarge && seen.status < 500 && ![401, 403, 429].includes(seen.status)
  );
}

/** What answers there, as far as it can be told, and which address to set. */
export async function describeWrongAddress(
  url: string,
  status: number,
  signal: AbortSignal,
): Promise<{ message: string; next: string }> {
  const { origin } = new URL(url);
  if (origin !== url && readHealth(await look(`${origin}/api/health`, { signal, patience }))) {
    return {
      message: `${url} has a path, and the relay is at the address without it`,
      next: `Set RELAY_URL=${origin}`,
    };
  }
  const root = await look(url, { signal, patience });
  if (!('trouble' in root) && asksForTopic.safeParse(root.body).success) {
    return {
      message: `${url} is the address of an event hub`,
      next: 'Set RELAY_URL to the address of the gateway. It says by itself where the hub is.',
    };
  }
  return {
    message: `${url} answers, but not as an Expert Relay does (${status})`,
    next: 'Set RELAY_URL to the address of the gateway alone, without a path.',
  };
}

/** The hub's answer to a call without a topic. */
const asksForTopic = z.object({
  status: z.literal(400),
  fields: z.array(z.object({ path: z.literal('topic') })),
});

function findMark(folder: string, url: string): string | undefined {
  try {
    return join(openRelayFolder(folder, url), 'is-a-relay');
  } catch {
    // A command that needs the folder says what is wrong with it.
    return undefined;
  }
}

function writeMark(path: string): void {
  try {
    writePrivate(path, '');
  } catch {
    // Then the next command looks again.
  }
}

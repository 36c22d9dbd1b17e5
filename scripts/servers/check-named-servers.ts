import { checkExternal } from './external-server.ts';
import { nats } from './nats.ts';
import { postgres } from './postgres.ts';
import { redis } from './redis.ts';
import type { ServerKind } from './server-kind.ts';

export const serverKinds: readonly ServerKind[] = [postgres, redis, nats];

/** A server that the environment names, and that answered. */
export interface NamedServer {
  kind: ServerKind;
  url: string;
  version: string;
}

/** Fails in a sentence when one of them does not work; worth asking before anything that takes long. */
export async function checkNamedServers(env: NodeJS.ProcessEnv = process.env): Promise<NamedServer[]> {
  const named = serverKinds.map(async (kind) => {
    const url = env[kind.variable];
    return url ? [{ kind, url, version: await checkExternal(kind, url) }] : [];
  });
  return (await Promise.all(named)).flat();
}

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { KeyKind } from '../config.ts';

const schema = z.object({
  // Whoever put the file there could otherwise have keys and questions sent anywhere.
  gatewayUrl: z.string().regex(/^http:\/\/(localhost|127\.0\.0\.1)(:\d+)?$/),
  consumerKey: z.string().regex(/^hs_[0-9A-Za-z]{38}$/),
  providerKey: z.string().regex(/^hs_prov_[0-9A-Za-z]{38}$/),
});

/** Settings for the relay that `npm start` runs in this folder or above, to be proposed, never used unasked. */
export function findLocalRun(folder: string, kind: KeyKind): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const run = readRun(join(at, '.relay', 'dev.json'));
    if (run) {
      return `export RELAY_URL=${run.gatewayUrl} RELAY_API_KEY=${kind === 'consumer' ? run.consumerKey : run.providerKey}`;
    }
    if (dirname(at) === at) return undefined;
  }
}

function readRun(path: string): z.infer<typeof schema> | undefined {
  try {
    return schema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    // Not there, or not what it should be: then there is nothing to propose.
    return undefined;
  }
}

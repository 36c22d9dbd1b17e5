import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import type { Config, KeyKind } from '../config.ts';
import { Failure } from '../failure.ts';

/** The relay's address and the key. */
export interface Access {
  readonly url: string;
  readonly apiKey: string;
  readonly kind: KeyKind;
}

/** Throws a Failure that says what to set when something is missing. */
export function requireRelay(config: Config, typed: { kind: KeyKind; folder: string }): Access {
  const { url, apiKey, kind } = config;
  if (url && apiKey && kind) return { url, apiKey, kind };
  const missing = [!url && 'RELAY_URL', !apiKey && 'RELAY_API_KEY'].filter((name) => name !== false);
  const local = findLocalRun(typed.folder, typed.kind);
  const next = local
    ? `A relay runs from this folder. To use it, first run:\n${local}`
    : 'Set the address of your relay and your key: relay help environment. Or store both once: relay login';
  throw new Failure(
    'usage',
    `${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} not set.\n${next}`,
  );
}

const roles = {
  consumer: "an agent's key (hs_...)",
  provider: "an expert's key (hs_prov_...)",
} as const;

/** Refuses the other kind of key. `instead` says which command fits that kind. */
export function requireKind(access: Access, kind: KeyKind, instead: string): void {
  if (access.kind === kind) return;
  throw new Failure(
    'usage',
    `This needs ${roles[kind]}; RELAY_API_KEY holds ${roles[access.kind]}. ${instead}`,
  );
}

const schema = z.object({
  // Otherwise such a file in a foreign folder could send keys and questions to any address.
  gatewayUrl: z.string().regex(/^http:\/\/(localhost|127\.0\.0\.1)(:\d+)?$/),
  consumerKey: z.string().regex(/^hs_[0-9A-Za-z]{38}$/),
  providerKey: z.string().regex(/^hs_prov_[0-9A-Za-z]{38}$/),
});

/** Settings of the relay that `npm start` runs in this folder or above. They are only shown to the user. */
function findLocalRun(folder: string, kind: KeyKind): string | undefined {
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
    // A missing or invalid file is ignored.
    return undefined;
  }
}

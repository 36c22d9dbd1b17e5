import type { Config, KeyKind } from '../config.ts';
import { Failure } from '../failure.ts';
import { findLocalRun } from './local-run.ts';

/** Where to call and who calls. */
export interface Access {
  readonly url: string;
  readonly apiKey: string;
  readonly kind: KeyKind;
}

/** Or a sentence that says what to set. */
export function requireRelay(config: Config, typed: { kind: KeyKind; folder: string }): Access {
  const { url, apiKey, kind } = config;
  if (url && apiKey && kind) return { url, apiKey, kind };
  const missing = [!url && 'RELAY_URL', !apiKey && 'RELAY_API_KEY'].filter((name) => name !== false);
  const local = findLocalRun(typed.folder, typed.kind);
  const next = local
    ? `A relay runs from this folder. To use it, first run:\n${local}`
    : 'Set the address of your relay and your key: relay help environment';
  throw new Failure(
    'usage',
    `${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} not set.\n${next}`,
  );
}

const roles = {
  consumer: "an agent's key (hs_...)",
  provider: "an expert's key (hs_prov_...)",
} as const;

/** Refuses the other kind of key, and says what that one is for. */
export function requireKind(access: Access, kind: KeyKind, instead: string): void {
  if (access.kind === kind) return;
  throw new Failure(
    'usage',
    `This needs ${roles[kind]}; RELAY_API_KEY holds ${roles[access.kind]}. ${instead}`,
  );
}

import { listVariables, type Variable, type Variables } from '@expert-relay/kit/config';
import { variables as migrate } from '../../packages/db/src/config.ts';
import { variables as dashboard } from '../../services/dashboard/src/config.ts';
import { variables as expiryWorker } from '../../services/expiry-worker/src/config.ts';
import { variables as gateway } from '../../services/gateway/src/config.ts';
import { variables as hub } from '../../services/hub/src/config.ts';
import { variables as messages } from '../../services/messages/src/config.ts';
import { variables as notifier } from '../../services/notifier/src/config.ts';
import { variables as requests } from '../../services/requests/src/config.ts';

/** Every program that runs in a deployment, and the variables that its config.ts declares. */
const programs: Record<string, Variables> = {
  gateway,
  requests,
  messages,
  hub,
  'expiry-worker': expiryWorker,
  dashboard,
  notifier,
  migrate,
};

export interface Setting {
  readonly variable: Variable<unknown>;
  /** The programs that read it. Some settings, such as a port, have another default in each. */
  readonly readers: ReadonlyMap<string, Variable<unknown>>;
}

/** All settings by name, in alphabetical order. */
export function collectSettings(): ReadonlyMap<string, Setting> {
  const readers = new Map<string, Map<string, Variable<unknown>>>();
  for (const [program, variables] of Object.entries(programs)) {
    for (const variable of listVariables(variables)) {
      const known = readers.get(variable.name) ?? new Map();
      readers.set(variable.name, known.set(program, variable));
    }
  }
  const names = [...readers.keys()].sort();
  return new Map(
    names.map((name) => {
      const own = readers.get(name) ?? new Map();
      return [name, { variable: [...own.values()][0], readers: own }];
    }),
  );
}

/**
 * charts/expert-relay/settings.json, from which the Helm chart knows which variables to pass to which program, and
 * which of them come from a Secret. It is in the chart's folder because Helm reads no file outside of it.
 */
export function renderSettings(): string {
  const settings: Record<string, Record<string, object>> = {};
  for (const program of Object.keys(programs)) settings[program] = {};
  for (const [name, { readers }] of collectSettings()) {
    for (const [program, { fallback, secret }] of readers) {
      Object.assign(settings[program] ?? {}, {
        [name]: { secret, required: fallback === undefined, ...(fallback && { default: fallback }) },
      });
    }
  }
  return `${JSON.stringify(settings, null, 2)}\n`;
}

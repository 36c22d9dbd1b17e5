import { createRelay, type Relay } from '@expert-relay/sdk';
import { createExpert, type Expert } from '@expert-relay/sdk/expert';
import type { Access } from './require-relay.ts';
import { timing } from './timing.ts';

/** A call that its user waits for is not repeated. */
const once = { ...timing, patienceMs: 0 };

/** For single calls of any key. */
export const openClient = (access: Access): Relay | Expert =>
  access.kind === 'provider'
    ? openExpert(access)
    : createRelay({ url: access.url, apiKey: access.apiKey, timing: once });

/** For single calls of an expert's key, which need no keys of the expert. */
export const openExpert = ({ url, apiKey }: Access): Expert => createExpert({ url, apiKey, timing: once });

import type { Query } from '@expert-relay/db';
import type { Clock } from '@expert-relay/kit/clock';
import type { WindowCounter } from '@expert-relay/kit/http';
import type { Channels } from './endpoints/channels.ts';
import type { TargetSealer } from './endpoints/seal.ts';
import type { Webhooks } from './endpoints/webhooks.ts';
import type { AddressRules } from './outbound/address-rules.ts';

/** The dependencies of the routes. */
export interface Context {
  readonly query: Query;
  readonly webhooks: Webhooks;
  readonly channels: Channels;
  readonly sealer: TargetSealer;
  readonly rules: AddressRules;
  readonly isPushHost: (hostname: string) => boolean;
  /** With which browsers subscribe. Null where push is not offered. */
  readonly pushKey: string | null;
  readonly canEmail: boolean;
  readonly clock: Clock;
  /** Counts the tests and repetitions that a user asks for. */
  readonly countTests: WindowCounter;
  /** Call it when a delivery was made due. */
  readonly wakeDeliverer: () => void;
}

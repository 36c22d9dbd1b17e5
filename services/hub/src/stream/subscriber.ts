import type { Credential } from '../authorise/credential.ts';
import type { Outlet } from './outlet.ts';

/** One open stream: who reads what, and how far it is. */
export class Subscriber {
  readonly outlet: Outlet;
  readonly topics: readonly string[];
  /** What the stream rests on; undefined for an anonymous one. */
  readonly credential: Credential | undefined;
  /** The address that its cap is counted by. */
  readonly network: string;
  /** The `x-request-id` of its answer. */
  readonly requestId: string;
  readonly openedAt: number;
  readonly endsAt: number;
  /** When what the stream rests on ends, as far as that is known. */
  credentialEndsAt = Number.POSITIVE_INFINITY;
  /** Gets events as they happen, having had everything before them. */
  isLive = false;
  /** The feed's timeline in which it came to be live: events from before it are not told again. */
  timeline = -1;
  /** Why it ended; `left` unless the hub ended it. */
  endReason = 'left';

  constructor(options: {
    outlet: Outlet;
    topics: readonly string[];
    credential: Credential | undefined;
    network: string;
    requestId: string;
    openedAt: number;
    endsAt: number;
  }) {
    this.outlet = options.outlet;
    this.topics = options.topics;
    this.credential = options.credential;
    this.network = options.network;
    this.requestId = options.requestId;
    this.openedAt = options.openedAt;
    this.endsAt = options.endsAt;
  }

  get isOpen(): boolean {
    return this.outlet.isOpen;
  }
}

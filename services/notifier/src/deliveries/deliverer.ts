import { setTimeout as pause } from 'node:timers/promises';
import type { Postgres } from '@expert-relay/db';
import type { Clock } from '@expert-relay/kit/clock';
import type { Part } from '@expert-relay/kit/lifecycle';
import type { Log } from '@expert-relay/kit/log';
import type { TargetSealer } from '../endpoints/seal.ts';
import type { Post } from '../outbound/post.ts';
import type { Reports } from '../reports.ts';
import { signedHeaders } from '../signatures/sign.ts';
import { type ClaimedDelivery, claimDue, perUser } from './claim-due.ts';
import { type Attempt, recordAttempt, returnDelivery } from './record-attempt.ts';
import { webhookBody } from './webhook-body.ts';

/** Postgres is the timer: retries and the deliveries of other processes are found by looking. */
const pollMs = 1_000;
/** For how long a result is tried to be recorded. After the lease, the delivery is sent again. */
const recordMs = 45_000;

interface DelivererOptions {
  readonly database: Pick<Postgres, 'query' | 'transact'>;
  readonly sealer: TargetSealer;
  readonly post: Post;
  readonly clock: Clock;
  readonly reports: Reports;
  readonly log: Log;
}

/** Claims deliveries that are due, and sends them. */
export class Deliverer implements Part {
  readonly name = 'deliverer';
  readonly #options: DelivererOptions;
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<void>>();
  /** Attempts that this process may begin, of healthy endpoints and of slow or failing ones. */
  readonly #free = { healthy: 48, slow: 16 };
  /** Attempts to healthy endpoints under way, by user. */
  readonly #ofUser = new Map<string, number>();
  #loop: Promise<void> | undefined;
  #isWoken = false;
  #wake = () => {};

  constructor(options: DelivererOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#loop = this.#run();
  }

  /** Looks at once for deliveries that are due. */
  wake(): void {
    this.#isWoken = true;
    this.#wake();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wake();
    await this.#loop;
    await Promise.all(this.#running);
  }

  async #run(): Promise<void> {
    const { database, log } = this.#options;
    let hasFailed = false;
    while (!this.#stopping.signal.aborted) {
      this.#isWoken = false;
      try {
        const claimed = await claimDue(database, { ...this.#free, busyUsers: this.#busyUsers() });
        hasFailed = false;
        for (const delivery of claimed) this.#begin(delivery);
        if (claimed.length > 0 && this.#free.healthy > 0) continue;
      } catch (error) {
        if (!hasFailed)
          log.warn({ reason: (error as Error).message }, 'no delivery can be claimed: trying again');
        hasFailed = true;
      }
      if (this.#isWoken && !hasFailed) continue;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, pollMs);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
        if (this.#stopping.signal.aborted) this.#wake();
      });
    }
  }

  #busyUsers(): string[] {
    return [...this.#ofUser].filter(([, count]) => count >= perUser).map(([userId]) => userId);
  }

  #count(userId: string, change: number): void {
    const count = (this.#ofUser.get(userId) ?? 0) + change;
    if (count > 0) this.#ofUser.set(userId, count);
    else this.#ofUser.delete(userId);
  }

  #begin(delivery: ClaimedDelivery): void {
    const { reports } = this.#options;
    const kind = delivery.isSlow ? 'slow' : 'healthy';
    this.#free[kind]--;
    if (kind === 'healthy') this.#count(delivery.userId, 1);
    const running = this.#deliver(delivery).finally(() => {
      this.#free[kind]++;
      if (kind === 'healthy') this.#count(delivery.userId, -1);
      this.#running.delete(running);
      reports.inFlight(this.#running.size);
      // The endpoint may have more deliveries that are due.
      this.wake();
    });
    this.#running.add(running);
    reports.inFlight(this.#running.size);
  }

  async #deliver(delivery: ClaimedDelivery): Promise<void> {
    const { database, reports, log } = this.#options;
    const start = performance.now();
    try {
      const result = await this.#send(delivery);
      const ms = performance.now() - start;
      reports.attempted({ result: result.reason ?? 'delivered', ms });
      await this.#record(delivery, { ...result, durationMs: ms });
    } catch (error) {
      log.error({ delivery: delivery.id, reason: (error as Error).message }, 'a delivery could not be sent');
      await returnDelivery(database.query, delivery).catch(() => {});
    }
  }

  async #send(delivery: ClaimedDelivery): ReturnType<Post> {
    const { sealer, post, clock } = this.#options;
    const target = sealer.open(delivery.endpointId, delivery);
    const body = webhookBody(delivery);
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'expert-relay',
      ...signedHeaders({ id: delivery.id, body }, target, clock.now()),
    };
    return await post(target.url, headers, body);
  }

  async #record(delivery: ClaimedDelivery, attempt: Attempt): Promise<void> {
    const { database, reports, log } = this.#options;
    const until = performance.now() + recordMs;
    for (;;) {
      try {
        const recorded = await recordAttempt(database.query, delivery, attempt);
        if (!recorded?.isOff) return;
        reports.switchedOff();
        log.warn(
          { endpoint: delivery.endpointId, status: attempt.statusCode },
          'an endpoint was switched off',
        );
        return;
      } catch (error) {
        if (performance.now() > until || this.#stopping.signal.aborted) {
          log.warn(
            { reason: (error as Error).message },
            'a result was not recorded: the delivery is sent again',
          );
          return;
        }
        await pause(1_000, undefined, { signal: this.#stopping.signal }).catch(() => {});
      }
    }
  }
}

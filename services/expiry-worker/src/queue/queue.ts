import type { Part } from '@expert-relay/kit/lifecycle';
import { withTimeout } from '@expert-relay/kit/timeout';
import { type Job, Queue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';

/** How long a stop waits for the running jobs and for Redis. */
const closeTimeoutMs = 5_000;

export interface QueuePart extends Part {
  /** Throws before the start: BullMQ connects as soon as a queue is created. */
  readonly queue: Queue;
}

export interface JobFailure {
  queue: string;
  error: Error;
  /** Whether it will not be tried again. */
  final: boolean;
}

/** A BullMQ queue and the worker that runs its jobs. */
export function createQueue(options: {
  name: string;
  prefix: string;
  redis: Redis;
  concurrency: number;
  work: (job: Job, token: string | undefined) => Promise<void>;
  onFailure: (failure: JobFailure) => void;
}): QueuePart {
  const { name, redis, concurrency, work, onFailure } = options;
  const shared = { connection: redis, prefix: options.prefix };
  let opened: { queue: Queue; worker: Worker } | undefined;

  function open(): { queue: Queue; worker: Worker } {
    // The connection itself reports an outage of Redis, once.
    const ignore = () => {};
    const queue = new Queue(name, { ...shared, streams: { events: { maxLen: 100 } } }).on('error', ignore);
    const worker = new Worker(name, work, { ...shared, concurrency, autorun: false, runRetryDelay: 1_000 });
    worker.on('error', ignore);
    worker.on('failed', (job, error) => {
      onFailure({ queue: name, error, final: !job || job.attemptsMade >= (job.opts.attempts ?? 1) });
    });
    return { queue, worker };
  }

  return {
    name: `queue ${name}`,
    get queue() {
      if (!opened) throw new Error(`The queue ${name} was used before its start.`);
      return opened.queue;
    },
    async start() {
      opened = open();
      opened.worker.run().catch((error) => onFailure({ queue: name, error, final: true }));
    },
    async stop() {
      if (!opened) return;
      const { queue, worker } = opened;
      // Without Redis, BullMQ would wait forever. If the end of a job does not reach Redis, the next sweep does its work again.
      if (redis.status !== 'ready') await worker.close(true);
      else await withTimeout(worker.close(), closeTimeoutMs).catch(() => redis.disconnect());
      await queue.close();
    },
  };
}

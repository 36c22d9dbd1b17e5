import type { Part } from '@expert-relay/kit/lifecycle';
import { type Job, Queue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { within } from './within.ts';

/** How long a stop waits for the jobs under way, and for Redis to hear of their end. */
const patience = 5_000;

export interface QueuePart extends Part {
  /** Once started: BullMQ connects as soon as it is made. */
  readonly queue: Queue;
}

export interface JobFailure {
  queue: string;
  error: Error;
  /** Whether it will not be tried again. */
  final: boolean;
}

/** A BullMQ queue and the worker that serves it. Names, keys and jobs are BullMQ's; what a job does is `work`. */
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
    // An outage of Redis is told once, by the connection itself.
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
      if (!opened) throw new Error(`The queue ${name} was asked for before its start.`);
      return opened.queue;
    },
    async start() {
      opened = open();
      opened.worker.run().catch((error) => onFailure({ queue: name, error, final: true }));
    },
    async stop() {
      if (!opened) return;
      const { queue, worker } = opened;
      // Without Redis BullMQ would wait for it forever. A job that it never hears of is one more sweep's work.
      if (redis.status !== 'ready') await worker.close(true);
      else if (!(await within(patience, worker.close()))) redis.disconnect();
      await queue.close();
    },
  };
}

import {
  DiscardPolicy,
  type JetStreamManager,
  type NatsError,
  nanos,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
  type StreamInfo,
} from 'nats';
import { planLimits } from './stream-limits.ts';
import { subjectsFor } from './subjects.ts';

const minute = 60_000;

/** Times are in milliseconds. */
export interface StreamSettings {
  readonly prefix: string;
  /** The stream's size on disk, where the oldest events make room. NATS reserves it when the stream is made. */
  readonly maxBytes: number;
  readonly replicas: number;
  /** Default 73 h: an hour longer than a conversation lives. */
  readonly maxAge?: number;
  /** Within it a publish that is repeated, because its ack got lost, is stored once. Default 10 min. */
  readonly duplicateWindow?: number;
}

export interface StreamOutcome {
  /** As it is now; `created` is the stream's epoch. */
  readonly info: StreamInfo;
  readonly action: 'made' | 'adjusted' | 'unchanged';
  /** Whole sentences for the log: what was left as it is, why, and what to do about it. */
  readonly notes: readonly string[];
}

/**
 * Makes the stream, or brings an existing one to the settings. It never deletes or purges, and a smaller
 * limit that would drop stored events is not applied but noted.
 */
export async function ensureStream(jsm: JetStreamManager, settings: StreamSettings): Promise<StreamOutcome> {
  const wanted = configOf(settings);
  const existing = await find(jsm, wanted.name);
  if (existing) return await adjust(jsm, existing, wanted);
  try {
    return { info: await jsm.streams.add(wanted), action: 'made', notes: [] };
  } catch (error) {
    // Another pod made it in between, from other settings.
    if (errorCode(error) !== nameInUse) throw error;
    return await adjust(jsm, await jsm.streams.info(wanted.name), wanted);
  }
}

function configOf(settings: StreamSettings) {
  const { prefix, maxBytes, replicas, maxAge = 73 * 60 * minute, duplicateWindow = 10 * minute } = settings;
  const { stream, allEvents } = subjectsFor(prefix);
  return {
    name: stream,
    subjects: [allEvents],
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.Old,
    max_age: nanos(maxAge),
    max_bytes: maxBytes,
    // NATS refuses a window that is longer than the events live.
    duplicate_window: nanos(Math.min(duplicateWindow, maxAge)),
    num_replicas: replicas,
  } satisfies Partial<StreamConfig>;
}

async function adjust(
  jsm: JetStreamManager,
  existing: StreamInfo,
  wanted: ReturnType<typeof configOf>,
): Promise<StreamOutcome> {
  const { name, storage, retention, subjects, ...rest } = wanted;
  if (existing.config.storage !== storage || existing.config.retention !== retention) {
    throw new Error(
      `The NATS stream ${name} was made with ${existing.config.storage} storage and ` +
        `${existing.config.retention} retention, which can lose events and cannot be changed to file and limits. ` +
        'Remove that stream, or set RELAY_NATS_PREFIX to a prefix of its own.',
    );
  }
  const { limits, notes } = planLimits(existing, rest);
  // Only ever added to: during an upgrade the other release's subjects stay captured.
  const together = [...new Set([...existing.config.subjects, ...subjects])];
  const update = { ...rest, ...limits, subjects: together };
  if (fits(existing.config, update)) return { info: existing, action: 'unchanged', notes };
  return { info: await jsm.streams.update(name, update), action: 'adjusted', notes };
}

function fits(config: StreamConfig, update: Partial<StreamConfig>): boolean {
  return Object.entries(update).every(
    ([key, value]) => JSON.stringify(config[key as keyof StreamConfig]) === JSON.stringify(value),
  );
}

// NATS's own numbers, from its server/errors.json.
const notFound = 10059;
const nameInUse = 10058;

async function find(jsm: JetStreamManager, stream: string): Promise<StreamInfo | undefined> {
  try {
    return await jsm.streams.info(stream);
  } catch (error) {
    if (errorCode(error) === notFound) return undefined;
    throw error;
  }
}

function errorCode(error: unknown): number | undefined {
  return (error as NatsError).api_error?.err_code;
}

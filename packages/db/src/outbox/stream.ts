import { subjectsFor } from '@expert-relay/contracts';
import type { Log } from '@expert-relay/kit/log';
import { isApiError } from '@expert-relay/kit/nats';
import {
  DiscardPolicy,
  type JetStreamManager,
  type NatsConnection,
  nanos,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
  type StreamInfo,
} from 'nats';

const minuteMs = 60_000;
const apiTimeoutMs = 2_000;

/** Times are in milliseconds. */
export interface StreamSettings {
  readonly prefix: string;
  /** The stream's size on disk; beyond it the oldest events are dropped. NATS reserves it when the stream is created. */
  readonly maxBytes: number;
  readonly replicas: number;
  /** Default 73 h: an hour longer than a conversation lasts by default. */
  readonly maxAge?: number;
  /** For this long a publish that is repeated, because its ack was lost, is stored once. Default 10 min. */
  readonly duplicateWindow?: number;
}

/** What the leader needs to know of the stream. */
export interface StreamEnd {
  /** When NATS created the stream, as it states that time. A stream that was deleted and created again has another one. */
  readonly createdAt: string;
  /** The sequence of its last message. */
  readonly lastSeq: number;
}

/** Reads the state of the stream. Creates or adjusts the stream at the first time, and when it was deleted. */
export function createStreamReader(
  connection: NatsConnection,
  settings: StreamSettings,
  log: Log,
): () => Promise<StreamEnd> {
  const { stream } = subjectsFor(settings.prefix);
  const manager = connection.jetstreamManager({ checkAPI: false, timeout: apiTimeoutMs });
  let isEnsured = false;

  async function ensure(): Promise<StreamInfo> {
    const { info, action, warnings } = await ensureStream(await manager, settings);
    for (const warning of warnings) log.warn(warning);
    if (action !== 'unchanged') log.info({ stream }, `${action} the stream`);
    isEnsured = true;
    return info;
  }

  async function read(): Promise<StreamInfo> {
    if (!isEnsured) return await ensure();
    try {
      return await (await manager).streams.info(stream);
    } catch (error) {
      if (!isApiError(error, 'streamNotFound')) throw error;
      log.warn({ stream }, 'the stream was deleted: creating it again');
      return await ensure();
    }
  }

  return async () => {
    const info = await read();
    return { createdAt: String(info.created), lastSeq: info.state.last_seq };
  };
}

interface EnsuredStream {
  readonly info: StreamInfo;
  readonly action: 'created' | 'adjusted' | 'unchanged';
  /** Sentences for the log: which limit was not changed, why, and what to do. */
  readonly warnings: readonly string[];
}

/**
 * Creates the stream, or adjusts an existing one to the settings. It never deletes or purges, and a smaller
 * limit that would drop stored events is not applied but reported in a warning.
 */
export async function ensureStream(jsm: JetStreamManager, settings: StreamSettings): Promise<EnsuredStream> {
  const wanted = configOf(settings);
  const existing = await find(jsm, wanted.name);
  if (existing) return await adjust(jsm, existing, wanted);
  try {
    return { info: await jsm.streams.add(wanted), action: 'created', warnings: [] };
  } catch (error) {
    // Another process created it in between, from other settings.
    if (!isApiError(error, 'streamNameInUse')) throw error;
    return await adjust(jsm, await jsm.streams.info(wanted.name), wanted);
  }
}

function configOf(settings: StreamSettings) {
  const {
    prefix,
    maxBytes,
    replicas,
    maxAge = 73 * 60 * minuteMs,
    duplicateWindow = 10 * minuteMs,
  } = settings;
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
): Promise<EnsuredStream> {
  const { name, storage, retention, subjects, ...rest } = wanted;
  if (existing.config.storage !== storage || existing.config.retention !== retention) {
    throw new Error(
      `The NATS stream ${name} was created with ${existing.config.storage} storage and ` +
        `${existing.config.retention} retention, which can lose events and cannot be changed to file and limits. ` +
        'Delete that stream, or set RELAY_NATS_PREFIX to another prefix.',
    );
  }
  const { limits, warnings } = planLimits(existing, rest);
  // Subjects are never removed: during an upgrade the stream must capture those of the other release too.
  const allSubjects = [...new Set([...existing.config.subjects, ...subjects])];
  const update = { ...rest, ...limits, subjects: allSubjects };
  if (fits(existing.config, update)) return { info: existing, action: 'unchanged', warnings };
  return { info: await jsm.streams.update(name, update), action: 'adjusted', warnings };
}

type Limits = Pick<StreamConfig, 'max_age' | 'max_bytes'>;

/** Which of the wanted limits can be applied without dropping an event, and a warning for each that cannot. */
function planLimits(existing: StreamInfo, wanted: Limits): { limits: Limits; warnings: string[] } {
  const { config, state } = existing;
  const limits = { max_age: wanted.max_age, max_bytes: wanted.max_bytes };
  const warnings: string[] = [];
  const keep = (limit: keyof Limits, reason: string) => {
    limits[limit] = config[limit];
    warnings.push(
      `The NATS stream ${config.name} keeps its ${limit} of ${config[limit]}: ${reason}, and the configured ` +
        `${wanted[limit]} would drop some. To drop them, set the limit with NATS's own tools.`,
    );
  };
  if (isLower(wanted.max_bytes, config.max_bytes) && state.bytes > wanted.max_bytes) {
    keep('max_bytes', `it holds ${state.bytes} bytes of events`);
  }
  // Only the server's clock decides how old the events are, so any stored event counts.
  if (isLower(wanted.max_age, config.max_age) && state.messages > 0) {
    keep('max_age', `it holds ${state.messages} events`);
  }
  return { limits, warnings };
}

/** NATS writes "no limit" as 0 or -1. */
function isLower(wanted: number, current: number): boolean {
  return wanted > 0 && (current <= 0 || wanted < current);
}

function fits(config: StreamConfig, update: Partial<StreamConfig>): boolean {
  return Object.entries(update).every(
    ([key, value]) => JSON.stringify(config[key as keyof StreamConfig]) === JSON.stringify(value),
  );
}

async function find(jsm: JetStreamManager, stream: string): Promise<StreamInfo | undefined> {
  try {
    return await jsm.streams.info(stream);
  } catch (error) {
    if (isApiError(error, 'streamNotFound')) return undefined;
    throw error;
  }
}

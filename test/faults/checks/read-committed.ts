import type { DevUser } from '../../../scripts/local/secrets.ts';
import type { Database } from '../environment/database.ts';

/** An event that the product has committed. */
export interface CommittedEvent {
  readonly requestId: string;
  /** Unique among all events. */
  readonly key: string;
  readonly type: string;
  readonly recordedAt: number;
  /** Its sequence in the stream, from the last acknowledgement. */
  readonly streamSeq: number;
}

export interface CommittedRequest {
  readonly requestId: string;
  readonly refCode: string;
  readonly status: string;
  readonly expiresAt: number;
  /** In the order of the request. */
  readonly events: readonly CommittedEvent[];
}

export type CommittedState = ReadonlyMap<string, CommittedRequest>;

const requestsText = `
  SELECT id AS "requestId", 'HS-' || ref_code AS "refCode", status,
    (extract(epoch FROM expires_at) * 1000)::float8 AS "expiresAt"
  FROM help_requests WHERE user_id = $1`;

// Published rows stay for ten minutes, far longer than a seed.
const eventsText = `
  SELECT event.request_id AS "requestId", event.seq, event.type, event.payload,
    coalesce(message.message_id, 'HS-' || event.ref_code) AS name,
    (extract(epoch FROM event.recorded_at) * 1000)::float8 AS "recordedAt",
    coalesce(event.stream_seq, 0)::float8 AS "streamSeq"
  FROM outbox_events AS event
  LEFT JOIN messages AS message ON message.request_id = event.request_id AND message.seq = event.seq
  WHERE event.request_id IS NULL
    OR event.request_id IN (SELECT id FROM help_requests WHERE user_id = $1)
  ORDER BY event.position`;

interface EventRow extends Pick<CommittedEvent, 'type' | 'recordedAt' | 'streamSeq'> {
  readonly requestId: string | null;
  readonly seq: number;
  /** Unique among the events of its type. */
  readonly name: string;
  readonly payload: Buffer;
}

type OrderedEvent = CommittedEvent & { readonly seq: number };

/** Finds the members of `requests` in an event of many requests: id, reference code and seq, each after its tag. */
const requestPattern = /([\w-]{22})..(HS-\w{8}) ([\x80-\xff]*.)/gs;

/** The events of a row: of the request in its columns, or of all requests in its payload. */
function eventsOf({ requestId, seq, name, payload, ...event }: EventRow): OrderedEvent[] {
  const about =
    requestId === null
      ? Array.from(
          payload.toString('latin1').matchAll(requestPattern),
          ([, id = '', refCode = '', varint = '']) => ({
            requestId: id,
            name: refCode,
            seq: readVarint(varint),
          }),
        )
      : [{ requestId, seq, name }];
  return about.map((request) => ({ ...event, ...request, key: `${event.type} ${request.name}` }));
}

/** A varint has seven bits in each byte, the lowest first. */
const readVarint = (bytes: string) =>
  [...bytes].reduceRight((value, byte) => value * 128 + (byte.charCodeAt(0) & 127), 0);

/** The requests of one user and their events. */
export async function readCommitted(database: Database, userId: string): Promise<CommittedState> {
  const requests = await database.query<Omit<CommittedRequest, 'events'>>(requestsText, [userId]);
  const rows = await database.query<EventRow>(eventsText, [userId]);
  const committed = new Map(
    requests.map((request) => [request.requestId, { ...request, events: [] as OrderedEvent[] }]),
  );
  for (const event of rows.flatMap(eventsOf)) committed.get(event.requestId)?.events.push(event);
  for (const { events } of committed.values()) events.sort((one, other) => one.seq - other.seq);
  return committed;
}

const collectEveryMs = 120_000;

/** Reads the committed state repeatedly, since published events are removed after ten minutes and a run may be longer. */
export function collectCommitted({ database, user }: { database: Database; user: DevUser }): {
  now(): Promise<CommittedState>;
  stop(): void;
} {
  const collected = new Map<string, CommittedRequest>();

  async function now(): Promise<CommittedState> {
    for (const [requestId, request] of await readCommitted(database, user.userId)) {
      const known = collected.get(requestId)?.events ?? [];
      const keys = new Set(request.events.map(({ key }) => key));
      const events = [...known.filter(({ key }) => !keys.has(key)), ...request.events];
      collected.set(requestId, { ...request, events });
    }
    return collected;
  }

  const timer = setInterval(() => void now().catch(() => {}), collectEveryMs);
  return { now, stop: () => clearInterval(timer) };
}

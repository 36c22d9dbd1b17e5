import type { Database } from '../stage/database.ts';

/** What the product has committed, and how it must read on a stream. */
export interface CommittedEvent {
  readonly requestId: string;
  /** Tells it from all others, on any topic. */
  readonly key: string;
  readonly type: string;
  readonly recordedAt: number;
  /** Where it lies in the stream, as the last ack said. */
  readonly streamSeq: number;
}

export interface CommittedRequest {
  readonly requestId: string;
  readonly refCode: string;
  readonly status: string;
  readonly expiresAt: number;
  /** In the request's own order. */
  readonly events: readonly CommittedEvent[];
}

export type Truth = ReadonlyMap<string, CommittedRequest>;

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
  /** What tells it from others of its type. */
  readonly name: string;
  readonly payload: Buffer;
}

type Placed = CommittedEvent & { readonly seq: number };

/** In an event of many requests, `requests` of the contract: id, reference code and place, each after its tag. */
const placePattern = /([\w-]{22})..(HS-\w{8}) ([\x80-\xff]*.)/gs;

/** A row tells of the request that its columns name, or of all that its payload does. */
function eventsOf({ requestId, seq, name, payload, ...event }: EventRow): Placed[] {
  const about =
    requestId === null
      ? Array.from(
          payload.toString('latin1').matchAll(placePattern),
          ([, id = '', refCode = '', varint = '']) => ({
            requestId: id,
            name: refCode,
            seq: readVarint(varint),
          }),
        )
      : [{ requestId, seq, name }];
  return about.map((place) => ({ ...event, ...place, key: `${event.type} ${place.name}` }));
}

/** Seven bits of each byte, the lowest first. */
const readVarint = (bytes: string) =>
  [...bytes].reduceRight((value, byte) => value * 128 + (byte.charCodeAt(0) & 127), 0);

/** The requests of one user and their events. */
export async function readTruth(database: Database, userId: string): Promise<Truth> {
  const requests = await database.query<Omit<CommittedRequest, 'events'>>(requestsText, [userId]);
  const rows = await database.query<EventRow>(eventsText, [userId]);
  const truth = new Map(
    requests.map((request) => [request.requestId, { ...request, events: [] as Placed[] }]),
  );
  for (const event of rows.flatMap(eventsOf)) truth.get(event.requestId)?.events.push(event);
  for (const { events } of truth.values()) events.sort((one, other) => one.seq - other.seq);
  return truth;
}

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
  FROM help_requests`;

// Published rows stay for ten minutes, far longer than a seed.
const eventsText = `
  SELECT event.request_id AS "requestId", event.type,
    event.type || ' ' || coalesce(message.message_id, 'HS-' || event.ref_code) AS key,
    (extract(epoch FROM event.recorded_at) * 1000)::float8 AS "recordedAt",
    coalesce(event.stream_seq, 0)::float8 AS "streamSeq"
  FROM outbox_events AS event
  LEFT JOIN messages AS message ON message.request_id = event.request_id AND message.seq = event.seq
  WHERE event.request_id IS NOT NULL
  ORDER BY event.request_id, event.seq, event.position`;

export async function readTruth(database: Database): Promise<Truth> {
  const requests = await database.query<Omit<CommittedRequest, 'events'>>(requestsText);
  const events = await database.query<CommittedEvent>(eventsText);
  const truth = new Map(
    requests.map((request) => [request.requestId, { ...request, events: [] as CommittedEvent[] }]),
  );
  for (const event of events) truth.get(event.requestId)?.events.push(event);
  return truth;
}

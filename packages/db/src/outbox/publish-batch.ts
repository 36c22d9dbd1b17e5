import {
  appendTraceparent,
  EventHead,
  type EventType,
  encodePublished,
  type Subjects,
} from '@expert-relay/contracts';
import { isApiError } from '@expert-relay/kit/nats';
import { noTracing, type OpenSpan, type Tracing } from '@expert-relay/kit/tracing';
import { ErrorCode, type JetStreamClient, NatsError } from 'nats';
import type { StreamEnd } from './stream.ts';
import type { StoredRow, WaitingRow } from './waiting-rows.ts';

export interface BatchResult {
  readonly stored: readonly StoredRow[];
  /** Rows that can never be published, and why. */
  readonly unpublishable: readonly { id: string; reason: string }[];
  /** How many were not acknowledged. NATS may have stored them; they are published again under the same ids. */
  readonly unconfirmed: number;
  /** Why the first of them was not acknowledged. */
  readonly reason?: string;
}

const ackTimeoutMs = 2_000;

/**
 * Publishes rows in order, without waiting between them: each message names the message before it and its sequence, and NATS
 * stores it only when that one is the last of the stream. So when a message fails, NATS refuses those after it, and it refuses
 * the whole batch when the last sequence has changed, because the stream lost its newest events or a former leader still publishes.
 *
 * A message that is stored already is acknowledged with its sequence, which is not the one that the next message names. So what
 * follows it waits for the next batch: of a row that was committed late, only what comes after it may be stored already.
 */
export async function publishBatch(
  jetstream: JetStreamClient,
  subjects: Subjects,
  rows: readonly WaitingRow[],
  stream: StreamEnd,
  tracing: Tracing = noTracing,
): Promise<BatchResult> {
  const unpublishable: { id: string; reason: string }[] = [];
  const sent: { id: string; ack: Promise<{ seq: number }>; span: OpenSpan | undefined }[] = [];
  for (const row of rows) {
    try {
      const encoded = encodeRow(row);
      const span = startSpan(tracing, row, encoded);
      const bytes = appendTraceparent(encoded, span?.traceparent);
      const previous = sent.at(-1)?.id;
      const expect = {
        lastSequence: stream.lastSeq + sent.length,
        ...(previous !== undefined && { lastMsgID: previous }),
      };
      // `encodeRow` has checked that the type can be part of a subject.
      const subject = subjects.event(row.type as EventType);
      const ack = jetstream.publish(subject, bytes, { msgID: row.id, expect, timeout: ackTimeoutMs });
      sent.push({ id: row.id, ack, span });
    } catch (error) {
      unpublishable.push({ id: row.id, reason: (error as Error).message });
    }
  }

  const stored: StoredRow[] = [];
  const failures: Error[] = [];
  const results = await Promise.allSettled(sent.map(({ ack }) => ack));
  for (const [index, result] of results.entries()) {
    const { id, span } = sent[index] as (typeof sent)[number];
    span?.end({ hasFailed: result.status === 'rejected' });
    if (result.status === 'fulfilled') stored.push({ id, streamSeq: result.value.seq });
    else if (isUnpublishable(result.reason)) unpublishable.push({ id, reason: result.reason.message });
    else failures.push(result.reason);
  }
  const [first] = failures;
  return { stored, unpublishable, unconfirmed: failures.length, ...(first && { reason: reasonOf(first) }) };
}

/** The message of some errors of NATS is only a code. */
function reasonOf(error: Error): string {
  if (!(error instanceof NatsError)) return error.message;
  const { chainedError, code, message } = error;
  if (chainedError?.message) return chainedError.message;
  return code === ErrorCode.NoResponders ? 'JetStream does not answer, or has no stream for it' : message;
}

/** Of an event whose call is traced. */
function startSpan(tracing: Tracing, { type }: WaitingRow, bytes: Uint8Array): OpenSpan | undefined {
  const parent = tracing.isOn ? new EventHead(bytes).traceparent : '';
  if (parent === '') return undefined;
  const attributes = { 'messaging.system': 'nats', 'messaging.operation.type': 'send', 'relay.event': type };
  return tracing.startSpan({ name: `publish ${type}`, kind: 'producer', parent, attributes });
}

function isUnpublishable(error: unknown): error is NatsError {
  return (
    error instanceof NatsError &&
    (error.code === 'MAX_PAYLOAD_EXCEEDED' || isApiError(error, 'messageTooLarge'))
  );
}

/** An event has up to 8 KB, an excerpt. A much larger one is a mistake, and decoding it would block the process. */
const maxPayloadBytes = 64 * 1024;
const typePattern = /^[a-z][a-z0-9_]{0,63}$/;

/**
 * The bytes to publish for a row: the envelope from its columns and the writer's payload (see `encodePublished`).
 * Throws for a row that receivers could not read. An unknown type is fine: a newer release's writer may share the
 * outbox with an older leader.
 */
export function encodeRow(row: WaitingRow): Uint8Array {
  if (!typePattern.test(row.type)) throw new Error('the type cannot be part of a subject');
  if (row.payload.length > maxPayloadBytes) throw new Error('the payload is too large');
  const bytes = encodePublished(
    {
      eventId: row.id,
      recordedAt: row.recordedAt,
      userId: row.userId,
      requestId: row.requestId ?? undefined,
      refCode: row.refCode ?? undefined,
      seq: BigInt(row.seq),
    },
    row.payload,
  );
  // Decoded as receivers do it, so that a broken payload fails here.
  new EventHead(bytes).readBody();
  return bytes;
}

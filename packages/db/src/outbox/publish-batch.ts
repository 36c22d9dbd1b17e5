import type { EventType, Subjects } from '@expert-relay/contracts';
import { type JetStreamClient, NatsError } from 'nats';
import type { StreamPosition } from './kept-rows.ts';
import { sealRow } from './seal-row.ts';
import type { Placed, WaitingRow } from './waiting-rows.ts';

export interface BatchOutcome {
  readonly placed: readonly Placed[];
  /** Rows that can never be published, and why. */
  readonly hopeless: readonly { id: string; reason: string }[];
  /** How many are to be published again. */
  readonly unsure: number;
  /** Why the first of them was not acknowledged. */
  readonly reason?: string;
}

const ackWithin = 2_000;
const messageTooLarge = 10054;

/**
 * Publishes rows all at once and yet in order: each message names the one that it must follow, so NATS
 * stores it only when all before it were stored. When one fails, those behind it are refused rather than
 * stored too early. The first names the sequence it must follow: a stream that is not as it was seen, as
 * when it lost its tail or another leader is still at work, refuses the whole batch.
 */
export async function publishBatch(
  jetstream: JetStreamClient,
  subjects: Subjects,
  rows: readonly WaitingRow[],
  stream: StreamPosition,
): Promise<BatchOutcome> {
  const hopeless: { id: string; reason: string }[] = [];
  const sent: { id: string; ack: Promise<{ seq: number }> }[] = [];
  for (const row of rows) {
    try {
      const bytes = sealRow(row);
      const previous = sent.at(-1)?.id;
      const expect = previous ? { lastMsgID: previous } : { lastSequence: stream.lastSeq };
      // Whatever type a row has was checked to be fit for a subject.
      const subject = subjects.event(row.type as EventType);
      const ack = jetstream.publish(subject, bytes, { msgID: row.id, expect, timeout: ackWithin });
      sent.push({ id: row.id, ack });
    } catch (error) {
      hopeless.push({ id: row.id, reason: (error as Error).message });
    }
  }

  const placed: Placed[] = [];
  const failures: Error[] = [];
  const results = await Promise.allSettled(sent.map(({ ack }) => ack));
  for (const [index, result] of results.entries()) {
    const { id } = sent[index] as { id: string };
    if (result.status === 'fulfilled') placed.push({ id, streamSeq: result.value.seq });
    else if (isHopeless(result.reason)) hopeless.push({ id, reason: result.reason.message });
    else failures.push(result.reason);
  }
  const [first] = failures;
  return { placed, hopeless, unsure: failures.length, ...(first && { reason: first.message }) };
}

function isHopeless(error: unknown): error is NatsError {
  return (
    error instanceof NatsError &&
    (error.code === 'MAX_PAYLOAD_EXCEEDED' || error.api_error?.err_code === messageTooLarge)
  );
}

import { EventHead, sealEvent } from '@expert-relay/contracts';
import { formatRefCode } from '../request/ref-code.ts';
import type { WaitingRow } from './waiting-rows.ts';

/** Events carry excerpts or 250 requests, some kilobytes: more is a mistake, and reading it would hold the process up. */
const largestPayload = 256 * 1024;
const typePattern = /^[a-z][a-z0-9_]{0,63}$/;

/**
 * The bytes to publish for a row: envelope from its columns, then the writer's payload as it is, since
 * protobuf merges by concatenation (see `sealEvent`). Throws for a row that no receiver could read. A type
 * that this code does not know is fine: a newer release's writer may share the outbox with an older leader.
 */
export function sealRow(row: WaitingRow): Uint8Array {
  if (!typePattern.test(row.type)) throw new Error('its type cannot be part of a subject');
  if (row.payload.length > largestPayload) throw new Error('its payload is too large');
  const sealed = sealEvent(
    {
      eventId: row.id,
      recordedAt: row.recordedAt,
      userId: row.userId ?? undefined,
      requestId: row.requestId ?? undefined,
      // As people write it: the hub passes it on, and knows no tables.
      refCode: row.refCode === null ? undefined : formatRefCode(row.refCode),
      seq: BigInt(row.seq),
    },
    row.payload,
  );
  // As receivers read it.
  new EventHead(sealed).readBody();
  return sealed;
}

import type { Query } from '@expert-relay/db';
import type { TargetSealer } from './seal.ts';

const batch = 50;

/**
 * Encrypts some targets again that are encrypted under the older key. Returns how many are left under it, and how many have a
 * key that is not known: these cannot be read.
 */
export async function resealTargets(
  query: Query,
  sealer: TargetSealer,
): Promise<{ left: number; unreadable: number }> {
  const rows = await query<{ id: string; sealingKeyId: string; sealed: Buffer }>`
    SELECT id, sealing_key_id AS "sealingKeyId", sealed FROM notification_endpoints
    WHERE sealing_key_id <> ${sealer.keyId} AND sealing_key_id = ANY(${sealer.keyIds}::text[])
    LIMIT ${batch}::int`;
  for (const { id, ...old } of rows) {
    const target = sealer.tryOpen(id, old);
    if (!target) continue;
    const { sealingKeyId, sealed } = sealer.seal(id, target);
    await query`
      UPDATE notification_endpoints SET sealing_key_id = ${sealingKeyId}, sealed = ${sealed}
      WHERE id = ${id}::uuid AND sealed = ${old.sealed}`;
  }
  const [counts] = await query<{ left: number; unreadable: number }>`
    SELECT count(*) FILTER (WHERE sealing_key_id <> ${sealer.keyId} AND sealing_key_id = ANY(${sealer.keyIds}::text[]))::int AS left,
      count(*) FILTER (WHERE sealing_key_id <> ALL(${sealer.keyIds}::text[]))::int AS unreadable
    FROM notification_endpoints`;
  return counts ?? { left: 0, unreadable: 0 };
}

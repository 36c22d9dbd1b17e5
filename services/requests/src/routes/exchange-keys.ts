import { type Api, keyExchangeEvent } from '@expert-relay/contracts';
import {
  endedProblem,
  eventParts,
  ownedBy,
  refCodeColumn,
  requestIdFrom,
  type Sql,
  sql,
  statusNow,
} from '@expert-relay/db';
import { base64Schema, defineRoute, parseBody } from '@expert-relay/kit/http';
import { Problem } from '@expert-relay/kit/problem';
import * as z from 'zod';
import type { Context } from '../context.ts';
import { publicKey } from '../public-key/public-key.ts';

const schema = z.object({
  providerSignPubKey: publicKey('ed25519'),
  providerEncryptPubKey: publicKey('x25519'),
  // Opaque to the relay: the agent checks it, see docs/crypto-exchange.md.
  keySignature: base64Schema
    .min(1, 'Expected base64.')
    .max(1_024, 'Expected at most 1,024 characters.')
    .nullish()
    .transform((value) => value ?? null),
});

interface Row {
  id: string;
  refCode: string;
  status: Api.ExchangedKeys['status'];
  /** Whether the request had keys before this call. */
  hadKeys: boolean;
  /** Whether these are the keys of this call. */
  isSame: boolean;
}

/**
 * The pick-up. The keys are written once: the same keys and `keySignature` again get 200, others 409.
 */
export const exchangeKeys = (context: Context) =>
  defineRoute({
    method: 'post',
    path: '/api/v1/key-exchange/:requestId',
    allow: ['provider', 'session'],
    takesBody: true,
    async handle({ principal, params, body }) {
      const { providerSignPubKey, providerEncryptPubKey, keySignature } = parseBody(schema, body);
      const [row] = await context.query<Row>`
        WITH locked AS (
          SELECT id, user_id, ref_code, seq, status, expires_at,
            provider_sign_pub_key IS NOT NULL AS had_keys,
            ${sameKey(sql`provider_sign_pub_key`, providerSignPubKey)}
              AND ${sameKey(sql`provider_encrypt_pub_key`, providerEncryptPubKey)}
              AND key_signature IS NOT DISTINCT FROM ${keySignature} AS is_same
          FROM help_requests
          WHERE id = ${requestIdFrom(params)} AND ${ownedBy(principal)}
          FOR UPDATE
        ),
        request AS (
          SELECT id, user_id, ref_code, seq, ${statusNow} AS status, had_keys, is_same FROM locked
        ),
        exchanged AS (
          UPDATE help_requests SET
            provider_sign_pub_key = ${providerSignPubKey},
            provider_encrypt_pub_key = ${providerEncryptPubKey},
            key_signature = ${keySignature},
            seq = request.seq + 1
          FROM request
          WHERE help_requests.id = request.id AND NOT request.had_keys AND request.status IN ('pending', 'responded')
          RETURNING help_requests.user_id, help_requests.id AS request_id, help_requests.ref_code, help_requests.seq
        ),
        ${eventParts({
          ...keyExchangeEvent(),
          from: sql`SELECT * FROM exchanged`,
        })}
        SELECT id, ${refCodeColumn}, status, had_keys AS "hadKeys", COALESCE(is_same, FALSE) AS "isSame"
        FROM request`;

      if (!row) throw new Problem('not_found');
      if (row.hadKeys && !row.isSame) throw new Problem('keys_already_exchanged');
      if (!row.hadKeys && (row.status === 'closed' || row.status === 'expired'))
        throw endedProblem(row.status);
      if (!row.hadKeys) context.wakeOutbox();
      return {
        status: 200,
        body: {
          requestId: row.id,
          refCode: row.refCode,
          status: row.status,
        } satisfies Api.ExchangedKeys,
      };
    },
  });

/** Compares two keys without their white space, which PEM does not fix. */
const sameKey = (column: Sql, pem: string): Sql =>
  sql`regexp_replace(${column}, '\\s', '', 'g') = ${pem.replaceAll(/\s/g, '')}`;

import { answerCommands } from './answer-commands.ts';
import { openPool } from './bare-queries.ts';
import { timeRun } from './timed-run.ts';

const pool = openPool();
/** As in the worker. */
const batchSize = 2_000;
const event = Buffer.from(process.env.BENCH_PAYLOAD ?? '', 'base64url');

/** The writes of an expiry in batches, with one event for each request. Nothing is locked, skipped or checked. */
const text = `
  WITH moved AS (
    UPDATE request_stages SET stage = 'ended'
    WHERE (stage, at, request_id) IN (
      SELECT stage, at, request_id FROM request_stages
      WHERE (stage, at) >= ('open', $1::timestamptz) AND stage = 'open'
      ORDER BY stage, at, request_id LIMIT ${batchSize})
    RETURNING request_id
  ),
  ended AS (
    UPDATE help_requests SET status = 'expired', seq = seq + 1, ended_at = expires_at
    WHERE id = ANY(ARRAY(SELECT request_id FROM moved))
    RETURNING id, user_id, ref_code, seq, expires_at
  ),
  event AS (
    INSERT INTO outbox_events (type, payload, user_id, request_id, ref_code, seq)
    SELECT 'request_closed', $2, user_id, id, ref_code, seq FROM ended
  )
  SELECT max(expires_at) AS last FROM ended`;

async function endAll(count: number): Promise<void> {
  let since = new Date(0);
  for (let done = 0; done < count; done += batchSize) {
    const { rows } = await pool.query({ name: 'expire', text, values: [since, event] });
    since = rows[0].last;
  }
}

answerCommands({ run: ({ count }: { count: number }) => timeRun([() => endAll(count)], { done: count }) });

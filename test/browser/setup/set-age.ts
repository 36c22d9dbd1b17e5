import pg from 'pg';

/** Moves the times of a request and its messages into the past. */
export async function setAge(databaseUrl: string, requestId: string, hours: number): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const values = [requestId, `${Math.round(hours * 3600)} seconds`];
    await client.query(
      `UPDATE help_requests SET created_at = created_at - $2::interval, expires_at = expires_at - $2::interval WHERE id = $1`,
      values,
    );
    await client.query(
      `UPDATE request_stages SET created_at = created_at - $2::interval WHERE request_id = $1`,
      values,
    );
  } finally {
    await client.end();
  }
}

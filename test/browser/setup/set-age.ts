import pg from 'pg';

/** Moves the creation and the expiry of a request into the past. */
export async function setAge(databaseUrl: string, requestId: string, hours: number): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(
      `UPDATE help_requests SET created_at = created_at - $2::interval, expires_at = expires_at - $2::interval WHERE id = $1`,
      [requestId, `${Math.round(hours * 3600)} seconds`],
    );
  } finally {
    await client.end();
  }
}

import pg from 'pg';

/** As many connections as a service has. */
export const openPool = (): pg.Pool => new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });

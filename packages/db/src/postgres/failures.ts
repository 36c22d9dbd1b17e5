import pg from 'pg';

export interface ConnectionFailure {
  /** Names the server and what failed, without the password; not a whole sentence. */
  readonly message: string;
  /** Another attempt cannot help: a setting has to be changed. */
  readonly permanent: boolean;
}

/** SQLSTATEs of connections, of a server without resources, and of one that stops: a later attempt may succeed. */
const temporaryStates = /^(08|53|57)[0-9A-Z]{3}$/;
/**
 * SQLSTATEs of statements that Postgres cannot run now: it takes no writes after a failover (25006), refuses the
 * password of a new connection while that is being changed (28), is being restored (3D000), has rolled a transaction back for
 * another one (40), waits for a lock (55P03), or its system fails (58).
 */
const refusedStates = /^((28|40)[0-9A-Z]{3}|25006|3D000|55P03|58000|58030)$/;

const networkReasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused (is Postgres running there?)',
  ECONNRESET: 'the connection was reset',
  EHOSTUNREACH: 'there is no route to this host',
  ENETUNREACH: 'there is no route to this host',
  ENOENT: 'there is no such socket (is Postgres running?)',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name cannot be looked up now',
  ETIMEDOUT: 'it did not answer in time',
};

/** Explains why connecting to Postgres failed. */
export function connectionFailure(url: string, error: unknown): ConnectionFailure {
  const target = describeTarget(url);
  if (!target) return { permanent: true, message: 'the address of Postgres is malformed' };
  if (error instanceof pg.DatabaseError) {
    const permanent = !temporaryStates.test(error.code ?? '');
    return { permanent, message: `Postgres at ${target.host} refused: ${refusal(error, target)}` };
  }
  const { code = '', message = '' } = error as NodeJS.ErrnoException;
  const isTls = /^(ERR_TLS|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(code) || /SSL/.test(message);
  if (isTls) {
    const advice = /^(DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(code)
      ? '; if the certificate is from an authority of your own, name it in NODE_EXTRA_CA_CERTS (chart: tls.caSecret)'
      : '';
    return { permanent: true, message: `Postgres at ${target.host}: TLS failed (${message}${advice})` };
  }
  if (message.startsWith('SASL')) {
    const why = target.hasPassword ? message : 'it asks for a password, and the address has none';
    return { permanent: true, message: `Postgres at ${target.host} refused: ${why}` };
  }
  const reason = networkReasons[code] ?? (/timeout/i.test(message) ? networkReasons.ETIMEDOUT : message);
  return { permanent: false, message: `Postgres at ${target.host} is not reachable: ${reason}` };
}

function refusal(error: pg.DatabaseError, target: Target): string {
  if (error.code === '28P01') return `wrong password for user "${target.user}"`;
  if (error.code === '3D000') return `there is no database "${target.database}"`;
  return error.message;
}

interface Target {
  host: string;
  user: string;
  database: string;
  hasPassword: boolean;
}

function describeTarget(url: string): Target | undefined {
  try {
    const { host, port, user = '', database = '', password } = new pg.Client({ connectionString: url });
    return {
      host: host.startsWith('/') ? host : `${host}:${port}`,
      user,
      database,
      hasPassword: Boolean(password),
    };
  } catch {
    return undefined;
  }
}

/** The errors of node-postgres, of Prisma and of its adapter. */
interface StatementError {
  readonly code?: string;
  readonly message?: string;
  readonly constraint?: string;
  readonly meta?: { driverAdapterError?: { cause?: AdapterError } };
}

interface AdapterError {
  readonly kind?: string;
  readonly originalCode?: string;
  readonly constraint?: { readonly index?: string };
}

/** System errors of connections. */
const networkCodes = /^(ECONN|EPIPE$|ETIMEDOUT$|EHOSTUNREACH$|ENETUNREACH$|ENOTFOUND$|EAI_AGAIN$)/;
/** Prisma's codes for the same. */
const prismaCodes = /^P(1001|1002|1008|1017|2024|2028)$/;
const adapterKinds = ['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout', 'TooManyConnections'];
/** Errors of node-postgres that have no code. */
const messages =
  /^(Connection terminated|Client (was closed|has encountered a connection error)|Query read timeout|timeout exceeded when trying to connect)/;

/**
 * Whether a statement failed because Postgres was away, stopped during the statement, did not answer or could not run it at
 * that time. A later attempt may succeed; where Postgres did not answer, it is unknown whether a write took effect.
 */
export function isOutage(error: unknown): boolean {
  const { code = '', message = '', meta } = error as StatementError;
  const { kind = '', originalCode = '' } = meta?.driverAdapterError?.cause ?? {};
  const hasCode = [code, originalCode].some((one) =>
    [temporaryStates, refusedStates, networkCodes, prismaCodes].some((codes) => codes.test(one)),
  );
  return hasCode || adapterKinds.includes(kind) || messages.test(message);
}

/** Foreign keys to the user of a call, or to the user's API key. */
const ownerKeys = /_(user|api_key|consumer_key)_id_fkey$/;

/** Whether a statement has failed since the user of the call was erased while it ran. */
function isErased(error: unknown): boolean {
  const { code, constraint, meta } = error as StatementError;
  const { originalCode = code, constraint: violated } = meta?.driverAdapterError?.cause ?? {};
  return originalCode === '23503' && ownerKeys.test(constraint ?? violated?.index ?? '');
}

/** What failed statements mean for the calls that need them. */
export const failures = { isOutage, isErased };

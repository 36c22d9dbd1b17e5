/** As node-postgres, Prisma and its adapter throw them: one kind of error for each way to fail. */
interface Failure {
  readonly code?: string;
  readonly message?: string;
  readonly meta?: { driverAdapterError?: { cause?: { kind?: string; originalCode?: string } } };
}

/** SQLSTATEs of connections, of a server that has too much to do, and of one that stops. */
const states = /^(08|53|57)...$/;
const network = /^(ECONN|EPIPE$|ETIMEDOUT$|EHOSTUNREACH$|ENETUNREACH$|ENOTFOUND$|EAI_AGAIN$)/;
/** Prisma's own codes for what it was told in words. */
const prisma = /^P(1001|1002|1008|1017|2024|2028)$/;
const kinds = ['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout', 'TooManyConnections'];
/** node-postgres says these without a code. */
const words = /^(Connection terminated|Query read timeout|timeout exceeded when trying to connect)/;

/**
 * Whether a statement failed because Postgres was away, went away under it or did not answer. Trying again
 * will help; whether a write took effect nobody knows.
 */
export function isOutage(error: unknown): boolean {
  const { code = '', message = '', meta } = error as Failure;
  const { kind = '', originalCode = '' } = meta?.driverAdapterError?.cause ?? {};
  const named = [code, originalCode].some((one) => states.test(one) || network.test(one) || prisma.test(one));
  return named || kinds.includes(kind) || words.test(message);
}

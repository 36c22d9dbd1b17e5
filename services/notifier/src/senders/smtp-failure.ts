import type { Api } from '@expert-relay/contracts';
import type { Attempt } from '../deliveries/record-attempt.ts';
import { printableStart } from '../outbound/printable-start.ts';

/** An error of nodemailer. */
export interface SmtpError extends Error {
  readonly code?: string;
  /** Of a failed connection: the code of the operating system or of TLS. */
  readonly originalCode?: string;
  /** `MAIL FROM`, `RCPT TO`, `DATA` and others: the command that was answered. */
  readonly command?: string;
  readonly responseCode?: number;
  readonly response?: string;
}

/**
 * To what a refusal applies. Only one of the address says that the channel is of no use. Most refusals are of the relay itself: of
 * its login, its sender, its quota. Every email of every user gets those until the operator has repaired something.
 */
type Refused = 'address' | 'email' | 'relay';

/** What a failed email means for its deliveries and its channel. */
export function resultOf(error: SmtpError): Omit<Attempt, 'durationMs'> {
  const reason = reasonOf(error);
  if (reason !== 'refused') return { reason };
  const { responseCode, response = '' } = error;
  const refused = refusedBy(error);
  return {
    reason,
    ...(responseCode !== undefined && { statusCode: responseCode }),
    response: printableStart(response),
    ...(refused !== 'relay' && { ends: 'deliveries' }),
    ...(refused === 'address' && { isAddressRefused: true }),
  };
}

const reasons: Readonly<Record<string, Api.DeliveryFailure>> = {
  EDNS: 'name_not_found',
  ETIMEDOUT: 'timed_out',
  ETLS: 'tls_failed',
  EENVELOPE: 'refused',
  EMESSAGE: 'refused',
  ECONNECTION: 'broken_off',
  EPROTOCOL: 'broken_off',
};
const brokenCodes = ['ECONNRESET', 'EPIPE'];
/** The codes of OpenSSL and of Node for a certificate or a handshake. */
const tlsCodes = /CERT|TLS|SSL|^EPROTO$/;

function reasonOf({ code = '', originalCode = '' }: SmtpError): Api.DeliveryFailure {
  if (code === 'ESOCKET' && brokenCodes.includes(originalCode)) return 'broken_off';
  if (code === 'ESOCKET' && tlsCodes.test(originalCode)) return 'tls_failed';
  // Also a refused login: it is between the relay and its server.
  return reasons[code] ?? 'not_reachable';
}

/** Answers to `RCPT TO` that are about the address where they have no detailed code. Others, such as 554, also refuse the relay. */
const addressCodes = [550, 551, 552, 553];

/** By the command, and by the detailed code (RFC 3463): many servers report at `RCPT TO` that they do not accept the sender. */
function refusedBy({ code, command = '', responseCode = 0, response = '' }: SmtpError): Refused {
  if (responseCode < 500 || (command !== 'RCPT TO' && command !== 'DATA')) return 'relay';
  const [, subject, detail] = /^\d{3}[ -]5\.(\d{1,3})\.(\d{1,3})\b/.exec(response) ?? [];
  if (subject === undefined || (subject === '0' && detail === '0')) {
    // The whole email was refused (EMESSAGE), or only the command, for which the server was not ready.
    if (command === 'DATA') return code === 'EMESSAGE' ? 'email' : 'relay';
    return addressCodes.includes(responseCode) ? 'address' : 'relay';
  }
  // Of the details of 5.1, 7 and 8 are about the sender, and 0 often is.
  if (subject === '1') return ['0', '7', '8'].includes(detail ?? '') ? 'relay' : 'address';
  if (subject === '2') return 'address';
  return subject === '6' || (subject === '3' && detail === '4') ? 'email' : 'relay';
}

/** The failure for the operator's log, without anything that may contain an address. */
export const describeFailure = ({ code, originalCode, command, responseCode, response }: SmtpError) => ({
  error: originalCode ?? code,
  command,
  status: responseCode,
  detail: /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})\b/.exec(response ?? '')?.[1],
});

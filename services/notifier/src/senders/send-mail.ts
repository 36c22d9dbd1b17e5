import { createHash } from 'node:crypto';
import type { ClaimedNotice, EndpointOff, NoticeDelivery } from '../deliveries/claim-for-people.ts';
import type { SendNotice } from '../deliveries/people-lane.ts';
import type { Attempt } from '../deliveries/record-attempt.ts';
import type { TargetSealer, Targets } from '../endpoints/seal.ts';
import { requestUrl, shownName, shownQuestion } from './agent-text.ts';

/** For each step of the exchange with the server, and for all of them. */
const defaultLimits = { stepMs: 10_000, deadlineMs: 30_000 };
/** The longest answer of the server, which may have many lines. */
const maxAnswerBytes = 65_536;

export interface MailServer {
  /** `smtp:` or `smtps:`, with user and password. */
  readonly url: string;
  readonly from: string;
}

/** Sends notices by SMTP. Several requests are put together in one mail. */
export function createSendMail(options: {
  sealer: TargetSealer;
  publicUrl: string;
  server: MailServer | undefined;
  limits?: typeof defaultLimits;
}): SendNotice {
  const { sealer, publicUrl, server, limits = defaultLimits } = options;
  return async (notice) => {
    // The operator has removed the settings: it may be for a moment.
    if (!server) return { reason: 'endpoint_off' };
    const target = sealer.open<'mail'>(notice.endpointId, notice);
    const { createTransport } = await import('nodemailer');
    const transport = createTransport({
      url: server.url,
      connectionTimeout: limits.stepMs,
      greetingTimeout: limits.stepMs,
      socketTimeout: limits.stepMs,
      maxResponseSize: maxAnswerBytes,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    // A server that sends a byte now and then would keep within the time of each step for ever.
    const ending = new AbortController();
    const timer = setTimeout(() => ending.abort(), limits.deadlineMs);
    try {
      await transport.sendMail({
        ...composeMail(notice, target, publicUrl),
        from: server.from,
        to: target.address,
        envelope: { from: addressIn(server.from), to: target.address },
        messageId: messageIdOf(notice.id, publicUrl),
        signal: ending.signal,
      });
      return {};
    } catch (error) {
      return ending.signal.aborted ? { reason: 'timed_out' } : resultOf(error as SmtpError);
    } finally {
      clearTimeout(timer);
    }
  };
}

/** Subject, text and headers of a mail. */
export function composeMail(
  { deliveries, endpointId }: Pick<ClaimedNotice, 'deliveries' | 'endpointId'>,
  { unsubscribeToken, confirmation }: Pick<Targets['mail'], 'unsubscribeToken' | 'confirmation'>,
  publicUrl: string,
): { subject: string; text: string; headers: Record<string, string> } {
  const link = (path: string, query: Record<string, string>) =>
    new URL(`${path}?${new URLSearchParams(query)}`, publicUrl).href;
  const unsubscribe = link('/unsubscribe', { channel: endpointId, token: unsubscribeToken });
  const headers = {
    'Auto-Submitted': 'auto-generated',
    'List-Unsubscribe': `<${unsubscribe}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  };
  const settings = new URL('/dashboard/settings', publicUrl).href;
  const end = `\n\n-- \nExpert Relay, ${new URL(publicUrl).host}\nChange what you get: ${settings}\nStop these mails: ${unsubscribe}\n`;
  const [first] = deliveries;
  if (first?.type === 'channel.confirm' && confirmation) {
    const confirm = link('/dashboard/confirm-mail', { channel: endpointId, token: confirmation.token });
    const text =
      'Somebody has entered this address in Expert Relay, to be notified by mail of requests that wait for an answer.\n\n' +
      `If it was you, open this page within three days and confirm it:\n${confirm}\n\n` +
      'If it was not you, do nothing: no other mail will come.';
    return { subject: 'Confirm your address for Expert Relay', text: text + end, headers };
  }
  if (first?.endpointsOff) {
    const list = first.endpointsOff.map((one) => `- ${describeOff(one)}`).join('\n');
    const text = `Nothing is sent any more by what is listed here:\n\n${list}\n\nRepair it, then switch it on: ${settings}`;
    return { subject: 'Expert Relay has switched off notifications', text: text + end, headers };
  }
  if (first?.requestId === null)
    return { subject: 'A test of Expert Relay', text: `Mails arrive at this address.${end}`, headers };
  const requests = [...new Map(deliveries.map((one) => [one.requestId, one])).values()];
  return { subject: subjectOf(requests), text: `${requests.map(textOf).join('\n\n')}${end}`, headers };

  function textOf({ refCode, agentName, question }: NoticeDelivery): string {
    const head = agentName === null ? `${refCode}` : `${refCode}, from ${shownName(agentName)}`;
    const quoted = question === null ? [] : [shownQuestion(question).replace(/^/gm, '> ')];
    return [head, ...quoted, requestUrl(publicUrl, refCode ?? '')].join('\n');
  }
}

const channelNames = { webhook: 'webhook', push: 'push channel', mail: 'mail channel', chat: 'chat' };

function describeOff({ channel, name, reason }: EndpointOff): string {
  const cause = reason === 'gone' ? 'its address does not exist any more' : 'nothing could be delivered';
  return `the ${channelNames[channel]}${name === null ? '' : ` of “${shownName(name)}”`}: ${cause}`;
}

function subjectOf(requests: readonly NoticeDelivery[]): string {
  const [first] = requests;
  if (!first || requests.length > 1) return `${requests.length} requests wait for an answer`;
  const from = first.agentName === null ? '' : ` (${shownName(first.agentName)})`;
  return `${first.refCode} waits for an answer${from}`;
}

/** The same at each attempt to send the same mail, so that mailboxes may show it once. */
function messageIdOf(noticeId: string, publicUrl: string): string {
  const digest = createHash('sha256').update(noticeId).digest('hex');
  return `<${digest.slice(0, 32)}@${new URL(publicUrl).hostname}>`;
}

/** `Expert Relay <relay@example.com>` or `relay@example.com`. */
export const addressIn = (from: string): string => /<([^<>]+)>\s*$/.exec(from)?.[1] ?? from;

interface SmtpError extends Error {
  readonly code?: string;
  readonly responseCode?: number;
  readonly response?: string;
}

const reasons: Readonly<Record<string, Attempt['reason']>> = {
  EDNS: 'name_not_found',
  ETIMEDOUT: 'timed_out',
  ETLS: 'tls_failed',
  EENVELOPE: 'refused',
  EMESSAGE: 'refused',
  EPROTOCOL: 'broken_off',
};

/** Only a refusal of the address or the mail is about the person. Others are between the relay and its server. */
function resultOf({ code = '', responseCode = 0, response = '' }: SmtpError): Omit<Attempt, 'durationMs'> {
  const reason = reasons[code] ?? 'not_reachable';
  if (reason !== 'refused') return { reason };
  const shown = response.replace(/[^\x20-\x7e]/g, '').slice(0, 256);
  return {
    reason,
    statusCode: responseCode,
    response: shown,
    ...(responseCode >= 500 && { ends: 'deliveries' }),
  };
}

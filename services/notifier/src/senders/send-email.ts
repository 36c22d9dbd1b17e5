import { createHash } from 'node:crypto';
import { isLoopback } from '@expert-relay/kit/config';
import type { Log } from '@expert-relay/kit/log';
import type { ClaimedNotice, EndpointOff, NoticeDelivery } from '../deliveries/claim-for-people.ts';
import type { SendNotice } from '../deliveries/people-queue.ts';
import { unknownType } from '../endpoints/delivery-types.ts';
import type { TargetSealer, Targets } from '../endpoints/seal.ts';
import { requestUrl, shownName, shownQuestion, whatIsAsked, withoutLinks } from './agent-text.ts';
import { describeFailure, resultOf, type SmtpError } from './smtp-failure.ts';

/**
 * For each step of the exchange with the server, and for all of them. A stopping pod waits for an email that is being sent: one that
 * takes longer than the pod has would be sent again.
 */
export const emailLimits = { stepMs: 10_000, deadlineMs: 15_000 };
/** The longest response of the server, which may have many lines. */
const maxResponseBytes = 65_536;

export interface MailServer {
  /** `smtp:` or `smtps:`, with user and password. */
  readonly url: string;
  readonly from: string;
}

/** Sends notices by SMTP. Several requests are put together in one email. */
export function createSendEmail(options: {
  sealer: TargetSealer;
  publicUrl: string;
  server: MailServer | undefined;
  log: Log;
  limits?: typeof emailLimits;
}): SendNotice {
  const { sealer, publicUrl, server, log, limits = emailLimits } = options;
  let hasReported = false;
  const report = (failure: object) => {
    if (!hasReported) log.warn(failure, 'the mail server does not take emails of this relay: trying again');
    hasReported = true;
  };
  return async (notice) => {
    // The operator has removed the settings: it may be for a moment.
    if (!server) return { reason: 'no_mail_server' };
    const target = sealer.open<'email'>(notice.endpointId, notice);
    const { createTransport } = await import('nodemailer');
    const transport = createTransport({
      url: server.url,
      connectionTimeout: limits.stepMs,
      greetingTimeout: limits.stepMs,
      socketTimeout: limits.stepMs,
      requireTLS: needsTls(server.url),
      maxResponseSize: maxResponseBytes,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    // A server that sends a byte now and then would keep within the time of each step for ever.
    const ending = new AbortController();
    const timer = setTimeout(() => ending.abort(), limits.deadlineMs);
    try {
      await transport.sendMail({
        ...composeEmail(notice, target, publicUrl),
        from: server.from,
        to: target.address,
        envelope: { from: addressIn(server.from), to: target.address },
        messageId: messageIdOf(notice.id, publicUrl),
        signal: ending.signal,
      });
      hasReported = false;
      return {};
    } catch (error) {
      const result: Awaited<ReturnType<SendNotice>> = ending.signal.aborted
        ? { reason: 'timed_out' }
        : resultOf(error as SmtpError);
      if (!result.ends) report({ reason: result.reason, ...describeFailure(error as SmtpError) });
      return result;
    } finally {
      clearTimeout(timer);
    }
  };
}

/**
 * Without it, nodemailer uses STARTTLS only if the server offers it, and somebody who can change its responses can read the password.
 * `?requireTLS=false` in the address, which nodemailer reads, takes precedence.
 */
function needsTls(url: string): boolean {
  const { protocol, username, password, hostname } = new URL(url);
  return protocol === 'smtp:' && (username !== '' || password !== '') && !isLoopback(hostname);
}

/** Subject, text and headers of an email. */
export function composeEmail(
  { deliveries, endpointId }: Pick<ClaimedNotice, 'deliveries' | 'endpointId'>,
  { unsubscribeToken, confirmation }: Pick<Targets['email'], 'unsubscribeToken' | 'confirmation'>,
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
  const end = `\n\n-- \nExpert Relay, ${new URL(publicUrl).host}\nChange what you get: ${settings}\nStop these emails: ${unsubscribe}\n`;
  const email = (subject: string, text: string) => ({ subject, text: text + end, headers });
  const [first] = deliveries;
  switch (first?.type) {
    case 'channel.confirm': {
      if (!confirmation) throw new Error('an email to confirm an address without its token');
      const confirm = link('/dashboard/confirm-email', { channel: endpointId, token: confirmation.token });
      return email(
        'Confirm your address for Expert Relay',
        'Somebody has entered this address in Expert Relay, to be notified by email of requests that wait for an answer.\n\n' +
          `If it was you, open this page within three days and confirm it:\n${confirm}\n\n` +
          'If it was not you, use the last link: you get no more of these.',
      );
    }
    case 'endpoint.off': {
      const list = first.endpointsOff?.map((one) => `- ${describeOff(one)}`).join('\n');
      const text = `Nothing is sent any more by what is listed here:\n\n${list}\n\nRepair it, then switch it on: ${settings}`;
      return email('Expert Relay has switched off notifications', text);
    }
    case 'channel.test':
      return email('A test of Expert Relay', 'Emails arrive at this address.');
    case 'request.created':
    case 'message.created': {
      const unknown = deliveries.find(({ type }) => type !== 'request.created' && type !== 'message.created');
      if (unknown) throw unknownType(unknown.type);
      const requests = [...new Map(deliveries.map((one) => [one.requestId, one])).values()];
      return email(subjectOf(requests), requests.map(textOf).join('\n\n'));
    }
    default:
      throw unknownType(first?.type satisfies 'request.answered' | undefined);
  }

  function textOf(delivery: NoticeDelivery): string {
    const { refCode, question } = delivery;
    const head = `${sentenceOf(delivery)} (${refCode}).`;
    const quoted = question === null ? [] : [withoutLinks(shownQuestion(question)).replace(/^/gm, '> ')];
    return [head, ...quoted, requestUrl(publicUrl, refCode ?? '')].join('\n');
  }
}

const channelNames = { webhook: 'webhook', push: 'push channel', email: 'email channel', chat: 'chat' };

function describeOff({ channel, name, reason }: EndpointOff): string {
  const cause = reason === 'gone' ? 'its address does not exist any more' : 'nothing could be delivered';
  return `the ${channelNames[channel]}${name === null ? '' : ` of “${withoutLinks(shownName(name))}”`}: ${cause}`;
}

function subjectOf(requests: readonly NoticeDelivery[]): string {
  const [first] = requests;
  if (!first || requests.length > 1) return `${requests.length} requests wait for an answer`;
  return `${sentenceOf(first)} (${first.refCode})`;
}

function sentenceOf(delivery: NoticeDelivery): string {
  const { agentName } = delivery;
  return `${agentName === null ? 'An agent' : withoutLinks(shownName(agentName))} ${whatIsAsked(delivery)}`;
}

/** The same at each attempt to send the same email, so that mailboxes may show it once. */
function messageIdOf(noticeId: string, publicUrl: string): string {
  const digest = createHash('sha256').update(noticeId).digest('hex');
  return `<${digest.slice(0, 32)}@${new URL(publicUrl).hostname}>`;
}

/** `Expert Relay <relay@example.com>` or `relay@example.com`. */
export const addressIn = (from: string): string => /<([^<>]+)>\s*$/.exec(from)?.[1] ?? from;

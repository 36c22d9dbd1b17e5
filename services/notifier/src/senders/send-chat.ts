import type { ClaimedNotice, NoticeDelivery } from '../deliveries/claim-for-people.ts';
import type { SendNotice } from '../deliveries/people-queue.ts';
import { unknownType } from '../endpoints/delivery-types.ts';
import type { TargetSealer } from '../endpoints/seal.ts';
import type { Post } from '../outbound/post.ts';
import { requestUrl, shownName, shownQuestion, whatIsAsked, withoutLinks } from './agent-text.ts';

/** Discord, which has the lowest limit, takes 2,000 characters. */
const maxCharacters = 1_900;
/** The webhook was removed, or its channel was. */
const gone = [404, 410];

/** Sends notices to an incoming webhook of Slack, Mattermost, or Discord in Slack's form. */
export const createSendChat =
  (options: { sealer: TargetSealer; post: Post; publicUrl: string }): SendNotice =>
  async (notice) => {
    const { sealer, post, publicUrl } = options;
    const { url } = sealer.open<'chat'>(notice.endpointId, notice);
    const message = {
      text: chatText(notice, publicUrl),
      // The only links are our own, and need no preview.
      unfurl_links: false,
      unfurl_media: false,
      link_names: false,
    };
    const headers = { 'content-type': 'application/json', 'user-agent': 'expert-relay' };
    const result = await post(url, headers, JSON.stringify(message));
    return { ...result, ...(gone.includes(result.statusCode ?? 0) && { ends: 'endpoint' }) };
  };

/** The text of a message. What an agent wrote is code, in which it has no effect. */
export function chatText({ deliveries }: Pick<ClaimedNotice, 'deliveries'>, publicUrl: string): string {
  const answered: NoticeDelivery[] = [];
  /** The newest delivery of each request. */
  const latest = new Map<string | null, NoticeDelivery>();
  for (const delivery of deliveries) {
    switch (delivery.type) {
      case 'channel.test':
        return 'This is a test of Expert Relay. Requests will be announced here.';
      case 'request.answered':
        answered.push(delivery);
        break;
      case 'request.created':
      case 'message.created':
        latest.set(delivery.requestId, delivery);
        break;
      default:
        throw unknownType(delivery.type satisfies 'channel.confirm' | 'endpoint.off');
    }
  }
  const waiting = [...latest.values()];
  const parts: string[] = [];
  let left = maxCharacters;
  for (const [index, delivery] of waiting.entries()) {
    const part = waitingText(delivery, publicUrl);
    const rest = `And ${waiting.length - index} more: ${new URL('/dashboard', publicUrl).href}`;
    if (part.length > left - rest.length) {
      parts.push(rest);
      break;
    }
    parts.push(part);
    left -= part.length + 1;
  }
  const codes = answered.map(({ refCode }) => refCode).slice(0, 20);
  if (codes.length > 0 && left > 300) parts.push(`Answered: ${codes.join(', ')}`);
  return parts.join('\n');
}

function waitingText(delivery: NoticeDelivery, publicUrl: string): string {
  const { refCode, agentName, question } = delivery;
  const name = agentName === null ? 'An agent' : `\`${withoutEffect(shownName(agentName))}\``;
  const head = `${name} ${whatIsAsked(delivery)}: ${refCode} ${requestUrl(publicUrl, refCode ?? '')}`;
  return question === null ? head : `${head}\n\`\`\`\n${withoutEffect(shownQuestion(question))}\n\`\`\``;
}

/**
 * Slack, Mattermost and Discord differ in how they escape, so the characters that begin a mention or markup are replaced by others that
 * look alike, or are followed by one without width: also those of which Slack makes one character.
 */
const withoutEffect = (text: string): string =>
  withoutLinks(text)
    .replaceAll('`', 'ˋ')
    .replaceAll('<', '‹')
    .replaceAll('>', '›')
    .replace(/&(?=(?:amp|lt|gt);)/g, '&\u200b');

import { createECDH, createHash } from 'node:crypto';
import { ConfigError } from '@expert-relay/kit/config';
import type { ClaimedNotice, NoticeDelivery } from '../deliveries/claim-for-people.ts';
import type { SendNotice } from '../deliveries/people-queue.ts';
import { type NoticeType, unknownType } from '../endpoints/delivery-types.ts';
import type { TargetSealer } from '../endpoints/seal.ts';
import type { Post } from '../outbound/post.ts';
import { shownName, shownQuestion, whatIsAsked } from './agent-text.ts';

/** A pair of keys with which the relay identifies itself at push services (RFC 8292), in base64url. */
export interface PushKeys {
  readonly publicKey: string;
  readonly privateKey: string;
}

/** The longest time that push services keep a message. */
const maxTtlSeconds = 2_419_200;
const testTtlSeconds = 60;
const gone = [404, 410];
const tooLarge = 413;

/** Reads RELAY_VAPID_KEYS: private keys, of which the first is for new subscriptions. */
export function parsePushKeys(texts: readonly string[]): readonly PushKeys[] {
  return texts.map((privateKey) => {
    try {
      const bytes = Buffer.from(privateKey, 'base64url');
      // Node takes a shorter key, with which no push could be signed.
      if (bytes.length !== 32) throw new RangeError('not 32 bytes');
      const pair = createECDH('prime256v1');
      pair.setPrivateKey(bytes);
      return { privateKey, publicKey: pair.getPublicKey().toString('base64url') };
    } catch {
      throw new ConfigError([
        'RELAY_VAPID_KEYS is not valid (its value is not shown). Each key must be 32 bytes of the curve P-256 in base64url.',
      ]);
    }
  });
}

/** Sends notices as Web Push: encrypted for the browser (RFC 8291), and signed by the relay. */
export function createSendPush(options: {
  sealer: TargetSealer;
  post: Post;
  isPushHost: (hostname: string) => boolean;
  keys: readonly PushKeys[];
  /** Whom a push service may contact: an address with `https:` or `mailto:`. */
  subject: string;
}): SendNotice {
  const { sealer, post, isPushHost, keys, subject } = options;
  return async (notice) => {
    const { endpoint, keys: browser, pushKey } = sealer.open<'push'>(notice.endpointId, notice);
    // The operator may have changed the settings since.
    if (!isPushHost(new URL(endpoint).hostname)) return { reason: 'address_not_allowed' };
    const own = keys.find(({ publicKey }) => publicKey === pushKey);
    // The browser subscribed with a key that was removed: this subscription is of no use any more.
    if (!own) return { reason: 'push_key_removed', ends: 'endpoint' };
    const { default: webPush } = await import('web-push');
    const { headers, body } = webPush.generateRequestDetails({ endpoint, keys: browser }, payloadOf(notice), {
      vapidDetails: { subject, ...own },
      contentEncoding: 'aes128gcm',
      urgency: 'high',
      TTL: ttlOf(notice.deliveries),
      ...topicOf(notice),
    });
    const texts = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]);
    const result = await post(endpoint, Object.fromEntries(texts), body ?? '');
    if (gone.includes(result.statusCode ?? 0)) return { ...result, ends: 'endpoint' };
    return { ...result, ...(result.statusCode === tooLarge && { ends: 'deliveries' }) };
  };
}

/** What the service worker of the pages gets. */
export function payloadOf({ deliveries }: Pick<ClaimedNotice, 'deliveries'>): string {
  const last = deliveries.at(-1);
  switch (last?.type) {
    case 'channel.test':
      return JSON.stringify({ type: 'test', url: '/dashboard/settings' });
    case 'request.created':
    case 'message.created': {
      const { type, requestId, refCode, agentName, question } = last;
      const name = agentName === null ? 'An agent' : shownName(agentName);
      return JSON.stringify({
        type: 'request',
        event: type,
        requestId,
        refCode,
        title: `${name} ${whatIsAsked(last)}`,
        question: question === null ? null : shownQuestion(question),
        url: `/dashboard/code/${refCode}`,
      });
    }
    default:
      throw unknownType(
        last?.type satisfies Exclude<NoticeType, `${string}.created` | 'channel.test'> | undefined,
      );
  }
}

const ttlOf = (deliveries: readonly NoticeDelivery[]): number =>
  Math.max(0, Math.min(maxTtlSeconds, Math.floor(deliveries[0]?.secondsLeft ?? testTtlSeconds)));

/** A later push about a request replaces an earlier one. The push service learns no id of the request. */
function topicOf({ endpointId, deliveries: [delivery] }: ClaimedNotice): { topic?: string } {
  if (!delivery?.requestId) return {};
  const digest = createHash('sha256').update(`${endpointId} ${delivery.requestId}`).digest('base64url');
  return { topic: digest.slice(0, 32) };
}

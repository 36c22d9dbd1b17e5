import { ECDH } from 'node:crypto';
import { parseBody } from '@expert-relay/kit/http';
import { Problem } from '@expert-relay/kit/problem';
import * as z from 'zod';
import type { AddressRules } from '../outbound/address-rules.ts';
import type { EndpointKind, Targets } from './seal.ts';
import { urlSchema } from './webhook-form.ts';

/** The channels of people. Webhooks are for programs. */
export type PeopleChannel = Exclude<EndpointKind, 'webhook'>;

/**
 * For this time, what becomes due is put together in one message: so it is also the shortest delay. A chat takes one message a
 * second, and a mailbox should not get more than one email a minute.
 */
export const windowSeconds: Readonly<Record<PeopleChannel, number>> = { push: 0, email: 60, chat: 1 };

const minDelaySeconds: Readonly<Record<PeopleChannel, number>> = { push: 0, email: 60, chat: 0 };
const defaultDelaySeconds: Readonly<Record<PeopleChannel, number>> = { push: 0, email: 300, chat: 900 };
const maxDelaySeconds = 86_400;

const maxAddressLength = 254;
const expectedAddress = 'Expected one email address, such as ada@example.com.';
/** Strict: nothing that a mail server could read as several addresses, a route or a comment. */
const addressPattern =
  /^[A-Za-z0-9](?:[A-Za-z0-9._+-]{0,62}[A-Za-z0-9_+-])?@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,63}$/;

const base64url = (bytes: number, what: string) =>
  z
    .string({ error: `Expected ${what} in base64url.` })
    .refine((text) => /^[\w-]{1,200}$/.test(text) && Buffer.from(text, 'base64url').length === bytes, {
      error: `Expected ${what}, ${bytes} bytes in base64url.`,
      abort: true,
    });

const expectedPoint = 'Expected a point of the curve P-256, uncompressed.';

/** Nothing can be encrypted for another key: each attempt would be a fault of this service, and be repeated for ever. */
function isPointOfCurve(text: string): boolean {
  const point = Buffer.from(text, 'base64url');
  try {
    return point[0] === 4 && ECDH.convertKey(point, 'prime256v1') !== undefined;
  } catch {
    return false;
  }
}

const expectedDelay = (least: number) =>
  `Expected a whole number of seconds from ${least} to ${maxDelaySeconds}.`;
const delaySchema = (least: number) =>
  z
    .int({ error: expectedDelay(least) })
    .min(least, expectedDelay(least))
    .max(maxDelaySeconds, expectedDelay(least))
    .nullish();

const expectedLabel = 'Expected a text of 1 to 100 characters without control characters.';
const labelSchema = z
  .string({ error: expectedLabel })
  .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]{1,100}$/u, expectedLabel)
  .nullish();

const expectedFlag = 'Expected true or false.';
const common = (kind: PeopleChannel) => ({
  label: labelSchema,
  delaySeconds: delaySchema(minDelaySeconds[kind]),
  showQuestion: z.boolean({ error: expectedFlag }).nullish(),
});

export interface ChannelRules {
  readonly rules: AddressRules;
  readonly isPushHost: (hostname: string) => boolean;
}

const expectedPush = 'Expected the address of a push service that this relay knows.';

const newChannelSchemas = ({ rules, isPushHost }: ChannelRules) => ({
  push: z.object({
    ...common('push'),
    subscription: z.object({
      endpoint: urlSchema(rules).refine((url) => isPushHost(new URL(url).hostname), {
        error: expectedPush,
      }),
      keys: z.object({
        p256dh: base64url(65, 'the public key of the subscription').refine(isPointOfCurve, expectedPoint),
        auth: base64url(16, 'the secret of the subscription'),
      }),
    }),
    pushKey: base64url(65, 'the public key of the relay').nullish(),
  }),
  email: z.object({
    ...common('email'),
    address: z
      .string({ error: expectedAddress })
      .max(maxAddressLength, expectedAddress)
      .regex(addressPattern, expectedAddress),
  }),
  chat: z.object({ ...common('chat'), url: urlSchema(rules) }),
});

const kindSchema = z.object({ kind: z.enum(['push', 'email', 'chat'], 'Expected push, email or chat.') });

/** Reads the body of a new channel. Its `kind` decides what else it has. */
export function parseNewChannel(channelRules: ChannelRules, body: unknown): NewChannel {
  const { kind } = parseBody(kindSchema, body);
  return newChannelOf(parseBody<Parsed>(newChannelSchemas(channelRules)[kind], body));
}

type Parsed = z.infer<ReturnType<typeof newChannelSchemas>[PeopleChannel]>;

/** A channel as its owner has described it. */
export type NewChannel = {
  readonly label: string | undefined;
  readonly delaySeconds: number | undefined;
  readonly showQuestion: boolean | undefined;
} & (
  | { readonly kind: 'push'; readonly target: Omit<Targets['push'], 'pushKey'> & { pushKey?: string } }
  | { readonly kind: 'email'; readonly target: Pick<Targets['email'], 'address'> }
  | { readonly kind: 'chat'; readonly target: Targets['chat'] }
);

function newChannelOf(parsed: Parsed): NewChannel {
  const shared = {
    label: parsed.label ?? undefined,
    delaySeconds: parsed.delaySeconds ?? undefined,
    showQuestion: parsed.showQuestion ?? undefined,
  };
  if ('subscription' in parsed) {
    const { subscription, pushKey } = parsed;
    return { ...shared, kind: 'push', target: { ...subscription, ...(pushKey && { pushKey }) } };
  }
  if ('address' in parsed) return { ...shared, kind: 'email', target: { address: parsed.address } };
  return { ...shared, kind: 'chat', target: { url: slackForm(parsed.url) } };
}

/** Discord takes messages in Slack's form at an address of its own. */
function slackForm(text: string): string {
  const url = new URL(text);
  const isDiscord =
    /^(\w+\.)?discord(app)?\.com$/.test(url.hostname) &&
    /^\/api\/webhooks\/\d+\/[\w-]+\/?$/.test(url.pathname);
  if (!isDiscord) return text;
  url.pathname = `${url.pathname.replace(/\/$/, '')}/slack`;
  return url.href;
}

export const changedChannelSchema = z.object({
  label: labelSchema,
  enabled: z.boolean({ error: expectedFlag }).nullish(),
  delaySeconds: delaySchema(0),
  showQuestion: z.boolean({ error: expectedFlag }).nullish(),
});

export const confirmationSchema = z.object({
  token: z.string({ error: 'Expected the token of the link.' }).max(200),
});

export const defaultsOf = (kind: PeopleChannel) => ({
  delaySeconds: defaultDelaySeconds[kind],
  showQuestion: false,
});

/** Throws when a delay is too short for the channel. */
export function checkDelay(kind: PeopleChannel, delaySeconds: number): void {
  const least = minDelaySeconds[kind];
  if (delaySeconds >= least) return;
  throw new Problem('invalid_request', {
    fields: [{ path: 'delaySeconds', code: 'size', message: expectedDelay(least) }],
  });
}

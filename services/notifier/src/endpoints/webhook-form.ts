import { type Sql, sql } from '@expert-relay/db';
import { Problem } from '@expert-relay/kit/problem';
import { z } from 'zod';
import { keyEvents, userEvents } from '../deliveries/recipients.ts';
import type { AddressRules } from '../outbound/address-rules.ts';

/** Those who manage webhooks with a key: an agent its own, an expert those of the user. */
export type Manager = {
  readonly kind: 'consumer' | 'provider';
  readonly apiKeyId: string;
  readonly userId: string;
};

/** Which webhooks a manager has, as a condition on `notification_endpoints`. */
export const managedBy = (manager: Manager): Sql =>
  manager.kind === 'consumer'
    ? sql`(channel = 'webhook' AND api_key_id = ${manager.apiKeyId}::uuid)`
    : sql`(channel = 'webhook' AND user_id = ${manager.userId}::uuid AND api_key_id IS NULL)`;

const maxUrlLength = 2_000;

/**
 * The address of a webhook. An address of an inner network is refused at once if it is written as numbers; what a name stands
 * for is checked at each attempt.
 */
const urlSchema = (rules: AddressRules) =>
  z
    .string({ error: 'Expected a text.' })
    .max(maxUrlLength, `Expected at most ${maxUrlLength} characters.`)
    .refine((text) => isTargetUrl(text, rules), {
      error: rules.hasInner
        ? 'Expected an http or https address without user, password and fragment.'
        : 'Expected an https address with a public host, on port 443, without user, password and fragment.',
    });

function isTargetUrl(text: string, rules: AddressRules): boolean {
  if (!URL.canParse(text) || /[\s#]/.test(text)) return false;
  const { protocol, username, password, port, hostname } = new URL(text);
  if (username !== '' || password !== '' || !['http:', 'https:'].includes(protocol)) return false;
  const isPlain = protocol === 'http:' || port !== '';
  const literal = /^[\d.]+$|^\[.*\]$/.test(hostname) ? hostname.replace(/^\[(.*)\]$/, '$1') : undefined;
  if (literal !== undefined) return isPlain ? rules.isInner(literal) : rules.isAllowed(literal);
  if (/(^|\.)localhost\.?$/i.test(hostname)) return rules.isInner('127.0.0.1');
  return !isPlain || rules.hasInner;
}

const eventsSchema = (kind: Manager['kind']) => {
  const known: readonly string[] = kind === 'consumer' ? keyEvents : userEvents;
  const expected = `Expected some of ${known.join(', ')}, each once.`;
  return z
    .array(z.string({ error: expected }), { error: expected })
    .min(1, expected)
    .refine(
      (events) => events.every((event) => known.includes(event)) && new Set(events).size === events.length,
      {
        error: expected,
      },
    );
};

export const newWebhookSchema = (kind: Manager['kind'], rules: AddressRules) =>
  z.object({
    url: urlSchema(rules),
    events: eventsSchema(kind)
      .nullish()
      .transform((events) => events ?? [...(kind === 'consumer' ? keyEvents : userEvents)]),
  });

export const changedWebhookSchema = (kind: Manager['kind'], rules: AddressRules) =>
  z.object({
    url: urlSchema(rules).nullish(),
    events: eventsSchema(kind).nullish(),
    enabled: z.boolean({ error: 'Expected true or false.' }).nullish(),
  });

/** A path's webhook id. A malformed id gets the same answer as an unknown one. */
export function webhookIdFrom(params: Readonly<Record<string, string>>): string {
  const id = params.webhookId ?? '';
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) throw new Problem('not_found');
  return id;
}

import { type Party, type Sql, sql } from '@expert-relay/db';
import { listOf, uuidPattern } from '@expert-relay/kit/http';
import { Problem } from '@expert-relay/kit/problem';
import * as z from 'zod';
import type { AddressRules } from '../outbound/address-rules.ts';
import { addressWithoutDns } from '../outbound/resolve.ts';
import { keyEvents, userEvents } from './delivery-types.ts';
import { isOfRevokedKey } from './endpoint-rows.ts';

/**
 * Which webhooks a party manages, as a condition on `notification_endpoints`: a consumer key its own, a provider key and a session
 * all of the user.
 */
export const managedBy = (party: Party): Sql =>
  sql`(channel = 'webhook' AND NOT ${isOfRevokedKey} AND ${
    party.kind === 'consumer'
      ? sql`api_key_id = ${party.apiKeyId}::uuid`
      : sql`user_id = ${party.userId}::uuid`
  })`;

const maxUrlLength = 2_000;

/**
 * The address of a webhook. An address of an inner network is refused at once if it is written as numbers; what a name stands
 * for is checked at each attempt.
 */
export const urlSchema = (rules: AddressRules) =>
  z.string({ error: 'Expected a text.' }).pipe(
    // Of a list, `max` alone would count the entries.
    z
      .string()
      .max(maxUrlLength, `Expected at most ${maxUrlLength} characters.`)
      .refine((text) => isTargetUrl(text, rules), {
        // So that later checks get only addresses.
        abort: true,
        error: rules.hasInner
          ? 'Expected an http or https address without user, password and fragment.'
          : 'Expected an https address with a public host, on port 443, without user, password and fragment.',
      }),
  );

function isTargetUrl(text: string, rules: AddressRules): boolean {
  if (!URL.canParse(text) || /[\s#]/.test(text)) return false;
  const { protocol, username, password, port, hostname } = new URL(text);
  if (username !== '' || password !== '' || !['http:', 'https:'].includes(protocol)) return false;
  const isPlain = protocol === 'http:' || port !== '';
  const address = addressWithoutDns(hostname);
  if (address === undefined) return !isPlain || rules.hasInner;
  return isPlain ? rules.isInner(address) : rules.isAllowed(address);
}

const expectedEvents = 'Expected a list of types of events, each once.';
const eventsSchema = listOf(z.string({ error: expectedEvents }), {
  least: 1,
  most: 10,
  error: expectedEvents,
});

/**
 * The events that a webhook gets: if none are named all that there are for it now, which are stored. A later kind of event needs a
 * migration, or a change of the webhook. Throws when there is no such event for it.
 */
export function checkEvents(
  events: readonly string[] | null | undefined,
  isOfKey: boolean,
): readonly string[] {
  const known: readonly string[] = isOfKey ? keyEvents : userEvents;
  if (!events) return known;
  if (events.every((event) => known.includes(event)) && new Set(events).size === events.length) return events;
  const message = `Expected some of ${known.join(', ')}, each once.`;
  throw new Problem('invalid_request', { fields: [{ path: 'events', code: 'value', message }] });
}

const expectedKeyId = 'Expected the id of a consumer key of this user that is not revoked.';
const keyIdSchema = z.string({ error: expectedKeyId }).regex(uuidPattern, expectedKeyId);

/** Thrown when the consumer key of a new webhook is unknown, revoked, or of another user. */
export const unknownKey = () =>
  new Problem('invalid_request', {
    fields: [{ path: 'keyId', code: 'value', message: expectedKeyId }],
  });

export const newWebhookSchema = (rules: AddressRules) =>
  z.object({ url: urlSchema(rules), events: eventsSchema.nullish(), keyId: keyIdSchema.nullish() });

export const changedWebhookSchema = (rules: AddressRules) =>
  z.object({
    url: urlSchema(rules).nullish(),
    events: eventsSchema.nullish(),
    enabled: z.boolean({ error: 'Expected true or false.' }).nullish(),
  });

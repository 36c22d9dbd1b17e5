import type { EventType } from './event-names.ts';

/** All NATS names that services share. A prefix separates installations (and tests) that share a server. */
export interface Subjects {
  /** The JetStream stream that holds all events. */
  readonly stream: string;
  /** The subjects that the stream captures; `v1` is the version of the payload. */
  readonly allEvents: string;
  /** A message of core NATS, which is not stored: it wakes the outbox publisher after a commit. */
  readonly wakeup: string;
  /**
   * The subject of one type of event. It has no ids: 1,000 subscribers that resume together, each by a filter of its own, cost NATS more than
   * 12 s of CPU, and one scan for all of them 0.9 s (ADR 51).
   */
  event(type: EventType): string;
}

// Lower case only: the name of the stream is the prefix in upper case, and two prefixes must not share a stream.
const prefixPattern = /^[a-z0-9][a-z0-9_-]{0,39}$/;

export function subjectsFor(prefix: string): Subjects {
  if (!prefixPattern.test(prefix)) {
    throw new Error(
      `"${prefix}" cannot be a NATS prefix: use up to 40 lower-case letters, digits, "-" and "_", a letter or a digit first, such as "relay".`,
    );
  }
  return {
    stream: `${prefix.toUpperCase()}_EVENTS`,
    allEvents: `${prefix}.v1.>`,
    wakeup: `${prefix}.outbox.wakeup`,
    event: (type) => `${prefix}.v1.${type}`,
  };
}

/** The NATS subjects that a service needs, and may use. */
export interface Permissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

/**
 * The users of NATS. Any process of requests and messages may lead the outbox, and then creates the stream.
 */
export function permissionsFor(
  prefix: string,
): Readonly<Record<'gateway' | 'requests' | 'messages' | 'hub', Permissions>> {
  const { stream, allEvents, wakeup, event } = subjectsFor(prefix);
  const responses = '_INBOX.>';
  const writer = {
    publish: [
      wakeup,
      allEvents,
      ...['INFO', 'CREATE', 'UPDATE'].map((call) => `$JS.API.STREAM.${call}.${stream}`),
    ],
    // The acknowledgement of a published event is a response too.
    subscribe: [wakeup, responses],
  };
  return {
    gateway: { publish: [], subscribe: [event('credential_revoked')] },
    requests: writer,
    messages: writer,
    hub: {
      publish: [
        `$JS.API.STREAM.INFO.${stream}`,
        `$JS.API.STREAM.MSG.GET.${stream}`,
        `$JS.API.CONSUMER.CREATE.${stream}.>`,
        `$JS.API.CONSUMER.MSG.NEXT.${stream}.*`,
        `$JS.API.CONSUMER.DELETE.${stream}.*`,
      ],
      subscribe: [responses],
    },
  };
}

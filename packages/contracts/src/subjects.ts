import type { EventType } from './event-type.ts';

/** Every NATS name that services share. One prefix keeps installations (and tests) on one server apart. */
export interface Subjects {
  /** The JetStream stream that holds all events. */
  readonly stream: string;
  /** What the stream captures; `v1` is the version of the payload. */
  readonly allEvents: string;
  /** Core NATS, not stored: a writer tells the outbox relay that a row waits. */
  readonly nudge: string;
  /** Where events of one type are published. Ids are in the payload: subjects per request slow replays down. */
  event(type: EventType): string;
}

// Lower case only: the stream's name is the prefix in upper case, and two prefixes must not share a stream.
const prefixPattern = /^[a-z0-9][a-z0-9_-]{0,47}$/;

export function subjectsFor(prefix: string): Subjects {
  if (!prefixPattern.test(prefix)) {
    throw new Error(
      `"${prefix}" cannot be a NATS prefix: use up to 48 lower-case letters, digits, "-" and "_", such as "relay".`,
    );
  }
  return {
    stream: `${prefix.toUpperCase()}_EVENTS`,
    allEvents: `${prefix}.v1.>`,
    nudge: `${prefix}.outbox.nudge`,
    event: (type) => `${prefix}.v1.${type}`,
  };
}

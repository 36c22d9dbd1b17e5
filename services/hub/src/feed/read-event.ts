import { type AboutRequest, type DomainEvent, EventHead } from '@expert-relay/contracts';

/** The event that these bytes hold, its body not decoded yet; undefined for bytes that are none. */
export function readEvent(bytes: Uint8Array): EventHead | undefined {
  try {
    return new EventHead(bytes);
  } catch {
    return undefined;
  }
}

/**
 * By which an event is known again when it comes a second time. Requests that are told of together always are, so
 * the first of them stands for all.
 */
export const firstOf = (event: EventHead | undefined): AboutRequest | undefined => event?.requestAt(0);

/** What happened; nothing that we know of, when it is of a newer release or cannot be read. */
export function readBodyOf(event: EventHead): DomainEvent['event'] {
  try {
    return event.readBody();
  } catch {
    return { case: undefined };
  }
}

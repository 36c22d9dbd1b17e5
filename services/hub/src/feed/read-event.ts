import { type DomainEvent, EventHead } from '@expert-relay/contracts';

/** The event that these bytes hold, its body not decoded yet; undefined for bytes that are none. */
export function readEvent(bytes: Uint8Array): EventHead | undefined {
  try {
    return new EventHead(bytes);
  } catch {
    return undefined;
  }
}

/** What happened; nothing that we know of, when it is of a newer release or cannot be read. */
export function readBodyOf(event: EventHead): DomainEvent['event'] {
  try {
    return event.readBody();
  } catch {
    return { case: undefined };
  }
}

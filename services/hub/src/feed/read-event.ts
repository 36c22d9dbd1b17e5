import { type DomainEvent, decodeEvent } from '@expert-relay/contracts';

/** The event that these bytes hold; undefined for bytes that are none. */
export function readEvent(bytes: Uint8Array): DomainEvent | undefined {
  try {
    return decodeEvent(bytes);
  } catch {
    return undefined;
  }
}

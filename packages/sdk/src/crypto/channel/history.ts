import { notAsExported } from '../../relay-error.ts';
import { fromBase64, toBase64 } from '../bytes/base64.ts';
import type { Bytes } from '../bytes/bytes.ts';
import { messageRefused } from '../refusal.ts';
import { mostLinks } from './frame.ts';

/** What one device knows of a conversation's messages, to be kept as JSON: their hashes in base64. */
export interface ChannelState {
  /** Every message that was accepted or sealed here, in order. */
  readonly seen: readonly string[];
  /** Those of them that no other links to. */
  readonly ends: readonly string[];
  /** Those sealed here that no list has shown yet. */
  readonly unlisted: readonly string[];
}

export interface History {
  /** What the next message links to. */
  links(): Bytes[];
  /** Takes in a message that was sealed here. */
  seal(hash: Bytes, links: readonly Bytes[]): void;
  /** Takes in a message that the relay shows, or refuses its place. */
  accept(hash: Bytes, links: readonly Bytes[]): void;
  state(): ChannelState;
}

export function openHistory(state: ChannelState = { seen: [], ends: [], unlisted: [] }): History {
  const seen = new Set(checked(state.seen));
  const ends = new Set(checked(state.ends));
  const unlisted = new Set(checked(state.unlisted));

  function add(hash: string, links: readonly string[]): void {
    seen.add(hash);
    for (const link of links) ends.delete(link);
    ends.add(hash);
  }

  return {
    links: () => [...ends].slice(0, mostLinks).flatMap((end) => fromBase64(end) ?? []),
    seal(hash, links) {
      const name = toBase64(hash);
      add(name, links.map(toBase64));
      unlisted.add(name);
    },
    accept(hash, links) {
      const name = toBase64(hash);
      // Sealed here, and taken in then. What went out in order comes back in order.
      if (unlisted.has(name)) {
        const [first] = unlisted;
        if (first !== name) throw missing();
        unlisted.delete(name);
        return;
      }
      if (seen.has(name)) throw replayed();
      const names = links.map(toBase64);
      if (!names.every((link) => seen.has(link))) throw missing();
      add(name, names);
    },
    state: () => ({ seen: [...seen], ends: [...ends], unlisted: [...unlisted] }),
  };
}

function checked(hashes: readonly string[]): readonly string[] {
  if (Array.isArray(hashes) && hashes.every((hash) => fromBase64(String(hash))?.length === 32)) return hashes;
  throw notAsExported();
}

const replayed = () => messageRefused('message_replayed', 'A message came once more, in another place.');

const missing = () =>
  messageRefused('message_missing', 'Messages that came before this one were dropped or put out of order.');

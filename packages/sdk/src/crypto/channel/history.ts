import { notAsExported } from '../../relay-error.ts';
import { fromBase64, toBase64 } from '../bytes/base64.ts';
import type { Bytes } from '../bytes/bytes.ts';
import { messageRefused } from '../refusal.ts';
import { mostLinks } from './frame.ts';

/** What one device knows of a conversation's messages, to be kept as JSON: their hashes in base64. */
export interface ChannelState {
  /** Every message that was accepted or sealed here, in order, and how many messages of this side it covers. */
  readonly seen: readonly (readonly [hash: string, covers: number])[];
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
  /**
   * Takes in a message that the relay shows, or refuses its place. Gives whether its sender had seen the last message
   * of this side.
   */
  accept(hash: Bytes, links: readonly Bytes[], isOwn: boolean): boolean;
  state(): ChannelState;
}

export function openHistory(state: ChannelState = { seen: [], ends: [], unlisted: [] }): History {
  /** The first so many messages of this side are covered by a message: it or what it links to had seen them. */
  const seen = new Map<string, number>(checkedCounts(state.seen));
  const ends = new Set(checked(state.ends));
  const unlisted = new Set(checked(state.unlisted));
  let own = Math.max(0, ...seen.values());

  function add(hash: string, links: readonly string[], isOwn: boolean): boolean {
    if (isOwn) own += 1;
    const covers = isOwn ? own : Math.max(0, ...links.map((link) => seen.get(link) ?? 0));
    seen.set(hash, covers);
    for (const link of links) ends.delete(link);
    ends.add(hash);
    return covers === own;
  }

  return {
    links: () => [...ends].slice(0, mostLinks).flatMap((end) => fromBase64(end) ?? []),
    seal(hash, links) {
      const name = toBase64(hash);
      add(name, links.map(toBase64), true);
      unlisted.add(name);
    },
    accept(hash, links, isOwn) {
      const name = toBase64(hash);
      // Taken in when it was sealed here. What went out in order comes back in order.
      if (unlisted.has(name)) {
        const [first] = unlisted;
        if (first !== name) throw missing();
        return unlisted.delete(name);
      }
      if (seen.has(name)) throw replayed();
      const names = links.map(toBase64);
      if (!names.every((link) => seen.has(link))) throw missing();
      return add(name, names, isOwn);
    },
    state: () => ({ seen: [...seen], ends: [...ends], unlisted: [...unlisted] }),
  };
}

function checked(hashes: readonly string[]): readonly string[] {
  if (Array.isArray(hashes) && hashes.every((hash) => fromBase64(String(hash))?.length === 32)) return hashes;
  throw notAsExported();
}

function checkedCounts(seen: ChannelState['seen']): ChannelState['seen'] {
  checked(seen?.map?.(([hash]) => hash));
  if (seen.every(([, covers]) => Number.isSafeInteger(covers))) return seen;
  throw notAsExported();
}

const replayed = () => messageRefused('message_replayed', 'A message was repeated.');

export const missing = () =>
  messageRefused('message_missing', 'Earlier messages are missing or out of order.');

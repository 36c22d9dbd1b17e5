import { notAsExported } from '../relay-error.ts';
import { fromBase64, toBase64 } from './base64.ts';
import type { Bytes } from './bytes.ts';
import { maxLinks } from './frame.ts';
import { messageRefused } from './refusal.ts';

/** What one device knows of a conversation's messages, as JSON. Hashes are in base64. */
export interface ChannelState {
  /** Every message that was accepted or encrypted here, in order, and how many messages of this side it covers. */
  readonly seen: readonly (readonly [hash: string, covers: number])[];
  /** Those of them to which no other message links. */
  readonly ends: readonly string[];
  /** Those that were encrypted here and not yet listed by the relay. */
  readonly unlisted: readonly string[];
}

export interface History {
  /** The messages to which the next one links. */
  links(): Bytes[];
  /** Adds a message that was encrypted here. */
  seal(hash: Bytes, links: readonly Bytes[]): void;
  /**
   * Adds a message that the relay lists, or throws when it is repeated or earlier ones are missing. Returns whether its
   * sender had seen the last message of this side.
   */
  accept(hash: Bytes, links: readonly Bytes[], isOwn: boolean): boolean;
  state(): ChannelState;
}

export function openHistory(state: ChannelState = { seen: [], ends: [], unlisted: [] }): History {
  /** By message: how many messages of this side it covers, which means that it or the messages it links to had seen them. */
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
    links: () => [...ends].slice(0, maxLinks).flatMap((end) => fromBase64(end) ?? []),
    seal(hash, links) {
      const name = toBase64(hash);
      add(name, links.map(toBase64), true);
      unlisted.add(name);
    },
    accept(hash, links, isOwn) {
      const name = toBase64(hash);
      // It was added when it was encrypted. Messages that were sent in order must be listed in order.
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

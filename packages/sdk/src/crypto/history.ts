import { notAsExported } from '../relay-error.ts';
import { fromBase64, toBase64 } from './base64.ts';
import type { Bytes } from './bytes.ts';
import { maxLinks } from './frame.ts';
import { messageRefused } from './refusal.ts';

/** What one device knows of a conversation's messages, as JSON. Hashes are in base64. */
export interface ChannelState {
  /**
   * Every message that was accepted or encrypted here, in order, how many messages of this side it covers, and the
   * positions in this list of the messages that it links to.
   */
  readonly seen: readonly (readonly [hash: string, covers: number, ...links: number[]])[];
  /** Those of them to which no other message links. */
  readonly ends: readonly string[];
  /** Those that were encrypted here, without the ones that come before another of these. */
  readonly sealed: readonly string[];
  /** Those that were encrypted here and not yet listed by the relay. */
  readonly unlisted: readonly string[];
  /** Those that were encrypted here and may never be sent. */
  readonly forgotten?: readonly string[];
}

interface Seen {
  /** How many messages of this side it covers, which means that it or the messages it links to had seen them. */
  readonly covers: number;
  readonly links: readonly number[];
}

const nothing: ChannelState = { seen: [], ends: [], sealed: [], unlisted: [] };

/** Which messages of a conversation one device knows, and how they link. */
export function openHistory(state: ChannelState = nothing) {
  const { seen, positions } = restore(state.seen);
  const ends = new Set(checked(state.ends));
  const unlisted = new Set(checked(state.unlisted));
  /** No message links to these, unless the list shows them after all. */
  const forgotten = new Set(checked(state.forgotten ?? []));
  let sealed = checked(state.sealed);
  let sealedBefore = sealed;
  let own = seen.reduce((most, { covers }) => Math.max(most, covers), 0);

  function positionOf(hash: string): number {
    const position = positions.get(hash);
    // A message that was shown or linked to, and that the list does not have.
    if (position === undefined || forgotten.has(hash)) throw missing();
    return position;
  }

  /** Those to which no other one links, without the forgotten ones. */
  function findEnds(): void {
    const known = [...positions].filter(([hash]) => !forgotten.has(hash));
    const linked = new Set(known.flatMap(([, at]) => seen[at]?.links ?? []));
    ends.clear();
    for (const [hash, at] of known) if (!linked.has(at)) ends.add(hash);
  }

  function add(hash: string, links: readonly string[], isOwn: boolean): boolean {
    const before = links.map(positionOf);
    if (isOwn) own += 1;
    const covers = isOwn ? own : before.reduce((most, at) => Math.max(most, seen[at]?.covers ?? 0), 0);
    positions.set(hash, seen.length);
    seen.push({ covers, links: before });
    for (const link of links) ends.delete(link);
    ends.add(hash);
    return covers === own;
  }

  /** Of these messages and all before them, those to which no other of them links. */
  function endsOf(hashes: readonly string[]): string[] {
    const named = new Map(hashes.map((hash) => [positionOf(hash), hash]));
    const first = Math.min(...named.keys());
    const before = new Set<number>();
    // A message links only to messages before it, so each is reached after all that link to it.
    for (let at = seen.length - 1; at >= first; at -= 1) {
      if (named.has(at) || before.has(at)) for (const link of seen[at]?.links ?? []) before.add(link);
    }
    const loose = [...named].filter(([at]) => !before.has(at));
    return loose.sort(([one], [other]) => one - other).map(([, hash]) => hash);
  }

  return {
    endsOf,
    /** The messages to which the next one links: the ends of what was shown, and of what was encrypted here. */
    links(shown: readonly string[] | undefined): Bytes[] {
      const linked = shown ? endsOf([...shown, ...sealed]) : [...ends];
      return linked.slice(0, maxLinks).flatMap((end) => fromBase64(end) ?? []);
    },
    /** Adds a message that was encrypted here. */
    seal(hash: Bytes, links: readonly Bytes[]): void {
      const name = toBase64(hash);
      add(name, links.map(toBase64), true);
      unlisted.add(name);
      sealedBefore = sealed;
      sealed = endsOf([...sealed, name]);
    },
    /**
     * Forgets the last message that was encrypted here, which is not listed: it may never be sent. The next one does not link to it.
     * False if a listed message links to it: then the other side has it.
     */
    forgetLast(): boolean {
      const name = [...unlisted].at(-1) as string;
      const position = positionOf(name);
      if (seen.some(({ links }) => links.includes(position))) return false;
      unlisted.delete(name);
      forgotten.add(name);
      findEnds();
      sealed = sealedBefore.filter((hash) => hash !== name);
      own -= 1;
      return true;
    },
    /**
     * Adds a message that the relay lists, or throws when it is repeated or earlier ones are missing. Returns whether its
     * sender had seen the last message of this side.
     */
    accept(hash: Bytes, links: readonly Bytes[], isOwn: boolean): boolean {
      const name = toBase64(hash);
      // It was added when it was encrypted. Messages that were sent in order must be listed in order.
      if (unlisted.has(name)) {
        const [first] = unlisted;
        if (first !== name) throw missing();
        return unlisted.delete(name);
      }
      if (forgotten.delete(name)) {
        const at = positionOf(name);
        own += 1;
        seen[at] = { covers: own, links: seen[at]?.links ?? [] };
        findEnds();
        return true;
      }
      if (positions.has(name)) throw replayed();
      return add(name, links.map(toBase64), isOwn);
    },
    state: (): ChannelState => ({
      seen: [...positions.keys()].map((hash, at) => [
        hash,
        seen[at]?.covers ?? 0,
        ...(seen[at]?.links ?? []),
      ]),
      ends: [...ends],
      sealed,
      unlisted: [...unlisted],
      ...(forgotten.size > 0 && { forgotten: [...forgotten] }),
    }),
  };
}

function checked(hashes: readonly string[]): readonly string[] {
  if (Array.isArray(hashes) && hashes.every((hash) => fromBase64(String(hash))?.length === 32)) return hashes;
  throw notAsExported();
}

function restore(given: ChannelState['seen']): { seen: Seen[]; positions: Map<string, number> } {
  const hashes = checked(given?.map?.(([hash]) => hash));
  const seen = given.map(([, covers, ...links], at) => {
    const isValid = [covers, ...links].every(Number.isSafeInteger);
    if (!isValid || Math.min(...links) < 0 || Math.max(...links) >= at) throw notAsExported();
    return { covers, links };
  });
  return { seen, positions: new Map(hashes.map((hash, at) => [hash, at])) };
}

const replayed = () => messageRefused('message_replayed', 'A message was repeated.');

export const missing = () =>
  messageRefused('message_missing', 'Earlier messages are missing or out of order.');

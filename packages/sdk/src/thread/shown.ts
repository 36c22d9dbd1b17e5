import type { Channel } from '../crypto/channel.ts';
import type { ChannelState } from '../crypto/history.ts';
import type { Role } from '../crypto/key-exchange.ts';
import { isMessageId } from '../crypto/message.ts';
import type { SavedPart } from './message-parts.ts';

/** The hashes of messages by their ids in lower case. Plain text has none. */
export type Hashes = ReadonlyMap<string, string | undefined>;

/** A text that is encrypted. It links to what was shown when it was written: `nameShown`. */
export interface Sealing {
  readonly messageId: string;
  readonly text: string;
  readonly parts?: readonly SavedPart[] | undefined;
  readonly shown: readonly string[];
}

/** What a client has read. */
export interface Read {
  readonly channel: Channel | undefined;
  readonly state: ChannelState | undefined;
  /** The other side's messages. */
  readonly others: Hashes;
  /** Messages of this side that another device has sent. */
  readonly fromDevices: Hashes;
}

/**
 * Names what the author of a text has been shown: these messages, and those that were sent here. The names can be saved
 * with the text: hashes, or where there are no keys yet the ids of messages in plain text.
 */
export function nameShown(
  { channel, state, others, fromDevices }: Read,
  isShown: (messageId: string) => boolean,
): readonly string[] {
  if (!channel || !state) return [...others.keys()].filter(isShown);
  const hashes = new Set(state.seen.map(([hash]) => hash));
  for (const [messageId, hash] of [...others, ...fromDevices]) {
    if (hash && !isShown(messageId)) hashes.delete(hash);
  }
  // The next message links to them in any case. They may never be listed, if this process ends before that.
  for (const hash of [...state.unlisted, ...(state.forgotten ?? [])]) hashes.delete(hash);
  return channel.endsOf([...hashes]);
}

/**
 * The hashes of what was shown, and of the messages that other clients of this side have sent: those before which there is
 * nothing of the other side that was not shown.
 */
export function withOwn({ state, others, fromDevices }: Read, named: readonly string[]): string[] {
  const shown = hashesIn(named);
  if (!state || fromDevices.size === 0) return shown;
  const theirs = new Set(others.values());
  const linked = new Set<string | undefined>([...shown, ...state.sealed]);
  // A message links only to messages before it, so each is reached after all that link to it.
  for (const [hash, , ...links] of state.seen.toReversed())
    if (linked.has(hash)) for (const at of links) linked.add(state.seen[at]?.[0]);
  const isAfter: boolean[] = [];
  for (const [hash, , ...links] of state.seen)
    isAfter.push(theirs.has(hash) ? linked.has(hash) : links.every((at) => isAfter[at]));
  const own = new Set(fromDevices.values());
  return [...shown, ...state.seen.flatMap(([hash], at) => (own.has(hash) && isAfter[at] ? [hash] : []))];
}

/** Whether the other side has written a message that is not among these, nor before one of these. */
export function hasNewer({ channel, state, others }: Read, shown: readonly string[]): boolean {
  if (!channel || !state) return [...others.keys()].some((messageId) => !shown.includes(messageId));
  const known = new Set(state.seen.map(([hash]) => hash));
  const named = hashesIn(shown);
  // Those that the list does not have are missing: encrypting the text finds it.
  if (!named.every((hash) => known.has(hash))) return false;
  const theirs = [...others.values()].flatMap((hash) => hash ?? []);
  return channel.endsOf([...named, ...theirs]).some((end) => !named.includes(end));
}

const hashesIn = (shown: readonly string[]): string[] => shown.filter((name) => !isMessageId(name));

/**
 * Whether the agent has written something at the same time as the message of the expert with this hash: neither had seen the other.
 * Links name messages that come earlier in the history.
 */
export function isCrossed(
  { state, others }: Pick<Read, 'state' | 'others'>,
  hash: string,
  reader: Role,
): boolean {
  const seen = state?.seen ?? [];
  const at = seen.findIndex(([one]) => one === hash);
  const after = new Set([at]);
  for (let later = at + 1; later < seen.length; later += 1) {
    if (linksOf(seen[later]).some((one) => after.has(one))) after.add(later);
  }
  const before = new Set([at]);
  for (let earlier = at; earlier >= 0; earlier -= 1) {
    if (before.has(earlier)) for (const one of linksOf(seen[earlier])) before.add(one);
  }
  const theirs = new Set(others.values());
  const isAgents = (one: string) => theirs.has(one) === (reader === 'provider');
  return seen.some(([one], position) => isAgents(one) && !after.has(position) && !before.has(position));
}

/** Whether the other side has written something at the same time as the newest message of this side: neither had seen the other. */
export function isNewestCrossed(read: Read, reader: Role): boolean {
  const theirs = new Set(read.others.values());
  const newest = read.state?.seen.findLast(([hash]) => !theirs.has(hash))?.[0];
  return newest !== undefined && isCrossed(read, newest, reader);
}

/** The first encrypted message of the other side that was read: its id, in lower case. */
export const firstReceived = ({ others }: Pick<Read, 'others'>): string | undefined =>
  [...others].find(([, hash]) => hash !== undefined)?.[0];

const linksOf = ([, , ...links]: ChannelState['seen'][number] | readonly [] = []): readonly number[] => links;

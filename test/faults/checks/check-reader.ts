import type { Segment } from '../readers/resuming-reader.ts';
import type { CommittedEvent, CommittedState } from './read-committed.ts';

export interface ReaderResult {
  readonly expected: number;
  readonly delivered: number;
  readonly lost: number;
  readonly duplicated: number;
  readonly outOfOrder: number;
  /** Events of a topic that the reader does not have, or that were not committed. */
  readonly unexpected: number;
  readonly resets: number;
}

/**
 * Compares the received events with the committed ones. After a reset, earlier events may be missing or repeated; from
 * there on every event must arrive once and in order.
 */
export function checkReader(
  segments: readonly Segment[],
  expected: ReadonlyMap<string, readonly CommittedEvent[]>,
): ReaderResult {
  const positions = new Map<string, Position>();
  for (const [requestId, events] of expected)
    for (const [index, { key }] of events.entries()) positions.set(key, { requestId, index });

  const received = new Set<string>();
  let [delivered, duplicated, outOfOrder, unexpected] = [0, 0, 0, 0];
  for (const { events } of segments) {
    const seen = new Set<string>();
    const newest = new Map<string, number>();
    for (const { data } of events) {
      const key = keyOf(data);
      const position = positions.get(key);
      delivered++;
      if (!position) unexpected++;
      else if (seen.has(key)) duplicated++;
      else {
        if (position.index < (newest.get(position.requestId) ?? 0)) outOfOrder++;
        newest.set(position.requestId, position.index);
      }
      seen.add(key);
      received.add(key);
    }
  }

  const resumedAfter = Number(segments.at(-1)?.after?.split('.')[1] ?? 0);
  const all = [...expected.values()].flat();
  const required = segments.length === 1 ? all : all.filter(({ streamSeq }) => streamSeq > resumedAfter);
  return {
    expected: all.length,
    delivered,
    lost: required.filter(({ key }) => !received.has(key)).length,
    duplicated,
    outOfOrder,
    unexpected,
    resets: segments.length - 1,
  };
}

/** The position of an event among the events of its request. */
interface Position {
  readonly requestId: string;
  readonly index: number;
}

/** The events that a reader of these topics must receive, by request and in their order. */
export function expectedEvents(
  topics: readonly string[],
  committed: CommittedState,
): ReadonlyMap<string, readonly CommittedEvent[]> {
  const [only = ''] = topics;
  const all = [...committed.keys()];
  if (only.endsWith('/activity')) return filtered(committed, all, () => true);
  if (only.startsWith('/svc/providers/'))
    return filtered(committed, all, ({ type }) => type === 'new_request');
  const wanted = topics.map((topic) => topic.slice('/svc/requests/'.length));
  return filtered(committed, wanted, ({ type }) => type !== 'new_request');
}

function filtered(
  committed: CommittedState,
  requestIds: readonly string[],
  keep: (event: CommittedEvent) => boolean,
) {
  const entries = requestIds.map((id) => [id, (committed.get(id)?.events ?? []).filter(keep)] as const);
  return new Map(entries.filter(([, events]) => events.length > 0));
}

/** The key of an event, from its data on a stream. */
function keyOf(data: string): string {
  const { type, messageId, refCode } = JSON.parse(data) as Record<string, string>;
  return `${type} ${messageId ?? refCode}`;
}

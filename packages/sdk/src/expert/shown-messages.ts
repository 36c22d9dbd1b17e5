import type { Values } from '../store.ts';

/** When the user was first shown the question of a request (its name is empty) and each of its messages. */
type Times = Readonly<Record<string, number>>;

/** What the user of several processes was shown, as it is stored. */
export function createShownMessages(values: Values) {
  const nameOf = (requestId: string) => `shown:${requestId}`;
  const read = async (requestId: string): Promise<Times | undefined> => {
    const kept = await values.get(nameOf(requestId));
    return kept === undefined ? undefined : JSON.parse(kept);
  };
  return {
    async mark(requestId: string, messageIds: readonly string[]): Promise<void> {
      const before = await read(requestId);
      const now = Date.now();
      // A time in the future is of a clock that was set back since.
      const news = ['', ...messageIds].filter((id) => (before?.[id] ?? Number.POSITIVE_INFINITY) > now);
      if (news.length === 0) return;
      const times = { ...before, ...Object.fromEntries(news.map((id) => [id, now])) };
      await values.set(nameOf(requestId), JSON.stringify(times));
    },
    async before(requestId: string, time: number): Promise<readonly string[] | undefined> {
      const times = await read(requestId);
      const ids = Object.keys(times ?? {}).filter((id) => (times?.[id] ?? time) < time);
      return ids.includes('') ? ids.filter(Boolean) : undefined;
    },
  };
}

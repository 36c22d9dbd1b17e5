import { type Sql, sql } from '@expert-relay/db';

/** How many attempts may begin for a user, of users who have some under way in this process. */
export type FreeSlotsOfUsers = ReadonlyMap<string, number>;

/** Counts the attempts that are under way for each user, of whom one must not take all slots of this process. */
export function createUserSlots(perUser: number) {
  const taken = new Map<string, number>();
  return {
    free: (): FreeSlotsOfUsers => new Map([...taken].map(([userId, count]) => [userId, perUser - count])),
    take(userId: string): void {
      taken.set(userId, (taken.get(userId) ?? 0) + 1);
    },
    release(userId: string): void {
      const count = (taken.get(userId) ?? 0) - 1;
      if (count > 0) taken.set(userId, count);
      else taken.delete(userId);
    },
  };
}

/** Users for whom nothing may begin. A claim passes over them, so that what waits for them does not hide what waits for others. */
export const busyUsers = (free: FreeSlotsOfUsers): string[] =>
  [...free].filter(([, slots]) => slots <= 0).map(([userId]) => userId);

/** The free slots of users as rows of `user_id` and `slots`. */
export const slotsOfUsers = (free: FreeSlotsOfUsers): Sql => sql`
  unnest(${[...free.keys()]}::uuid[], ${[...free.values()]}::int[])`;

/**
 * Counts the attempts that are under way for each user, so that one user does not take all slots of a process. A claim takes at most
 * `limit` of one user, and passes over a user with so many under way. So a user may have what one more claim adds: a claim of only
 * what is free would often be one of a single delivery, and cost more than it sends.
 */
export function createUserSlots(limit: number) {
  const taken = new Map<string, number>();
  return {
    /** Users who have enough attempts under way. A claim passes over them, so that their deliveries do not hide those of others. */
    busy: (): string[] => [...taken].filter(([, count]) => count >= limit).map(([userId]) => userId),
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

/** Knows what is under way, so that a stop can wait for it. */
export function followWork() {
  const underWay = new Set<Promise<unknown>>();
  return {
    async follow<T>(work: Promise<T>): Promise<T> {
      underWay.add(work);
      try {
        return await work;
      } finally {
        underWay.delete(work);
      }
    },
    async settled(): Promise<void> {
      await Promise.allSettled(underWay);
    },
  };
}

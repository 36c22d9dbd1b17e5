/** Tracks running work, so that a stop can wait for it. */
export function trackWork() {
  const running = new Set<Promise<unknown>>();
  return {
    async track<T>(work: Promise<T>): Promise<T> {
      running.add(work);
      try {
        return await work;
      } finally {
        running.delete(work);
      }
    },
    async settled(): Promise<void> {
      await Promise.allSettled(running);
    },
  };
}

/** Retries an expectation until it holds or the time is over. */
export async function untilPasses(check: () => void, within = 30_000): Promise<void> {
  const limit = performance.now() + within;
  for (;;) {
    try {
      check();
      return;
    } catch (error) {
      if (performance.now() > limit) throw error;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}

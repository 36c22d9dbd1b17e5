/** Repeats an expectation until it passes, or throws its error when the time is over. */
export async function untilPasses(check: () => void, timeoutMs = 30_000): Promise<void> {
  const limit = performance.now() + timeoutMs;
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

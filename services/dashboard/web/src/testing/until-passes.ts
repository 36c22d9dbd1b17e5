/** Waits until an expectation holds, and fails as it does when it never comes to hold. */
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

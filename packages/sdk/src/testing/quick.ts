/** Short waits for tests, in milliseconds. The limits for what must happen are long, since a machine may be busy. */
export const quick = {
  backoffMs: 20,
  maxBackoffMs: 100,
  patienceMs: 30_000,
  callMs: 30_000,
  openingMs: 500,
  silenceMs: 2_000,
  pollMs: 200,
  recheckMs: 800,
};

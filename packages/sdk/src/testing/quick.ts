/** Short waits for tests, in milliseconds. The limits for what must happen are long, since a machine may be busy. */
export const quick = {
  backoff: 20,
  maxBackoff: 100,
  patience: 30_000,
  call: 30_000,
  opening: 500,
  silence: 2_000,
  poll: 200,
  recheck: 800,
};

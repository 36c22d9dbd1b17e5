/** Short times for tests, in milliseconds. */
export const quick = {
  backoff: 20,
  maxBackoff: 100,
  patience: 3_000,
  call: 5_000,
  opening: 500,
  silence: 2_000,
  poll: 200,
  recheck: 800,
};

import type { Timing } from '../client-options.ts';

export const defaultTiming: Timing = {
  call: 30_000,
  patience: 150_000,
  backoff: 250,
  maxBackoff: 15_000,
  silence: 38_000,
  opening: 10_000,
  gather: 10,
  poll: 3_000,
  recheck: 60_000,
};

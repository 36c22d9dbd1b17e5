import { randomFillSync } from 'node:crypto';

const drawn = Buffer.alloc(4_096);
let used = drawn.length;

/** A few random bytes out of a large draw: asking the system for 16 costs as much as for 4,096. */
export function randomBytes(size: number): Buffer {
  if (used + size > drawn.length) {
    randomFillSync(drawn);
    used = 0;
  }
  used += size;
  return Buffer.from(drawn.subarray(used - size, used));
}

/*
 * No honest key is a point of small order. With such an X25519 key every shared secret is zero; such an Ed25519 key
 * accepts one signature for every message. Spellings of these points at or above the prime are refused earlier.
 */

/**
 * The first 9 bytes of each of these points, in base64: zero, one, the prime less one, two of Ed25519, two of X25519.
 * A random key begins like one of them once in 2^69 times.
 */
export const smallOrderStarts: ReadonlySet<string> = new Set([
  'AAAAAAAAAAAA',
  'AQAAAAAAAAAA',
  '7P//////////',
  'JuiVj8KyJ7BF',
  'xxdqcD1N2E+6',
  '4Ot6fDtBuK4W',
  'X5yVvKNQjCSx',
]);

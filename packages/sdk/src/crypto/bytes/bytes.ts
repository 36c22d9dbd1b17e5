/** What WebCrypto takes: bytes that are not shared between threads. So written, older compilers understand it too. */
export type Bytes = ReturnType<InstanceType<typeof TextEncoder>['encode']>;

export function concat(...parts: readonly Uint8Array[]): Bytes {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** For what everybody may see: it stops at the first difference, and so tells by its time where that is. */
export function equalBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}

export function randomBytes(length: number): Bytes {
  return crypto.getRandomValues(new Uint8Array(length));
}

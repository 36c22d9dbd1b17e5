/** More arguments at once could exceed the stack. */
const chunkLength = 8_192;

export function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += chunkLength) {
    binary += String.fromCharCode(...bytes.subarray(at, at + chunkLength));
  }
  return btoa(binary);
}

export const fromBase64 = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));

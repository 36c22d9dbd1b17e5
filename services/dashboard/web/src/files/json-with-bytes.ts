/** JSON has no bytes: those of files are written in base64. */
export const writeJson = (value: unknown): string =>
  JSON.stringify(value, (_, value) => (value instanceof Uint8Array ? { base64: toBase64(value) } : value));

export const readJson = <T>(json: string): T =>
  JSON.parse(json, (name, value) => (name === 'bytes' ? fromBase64(value.base64) : value));

/** More arguments at once could exceed the stack. */
const chunkLength = 8_192;

function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += chunkLength) {
    binary += String.fromCharCode(...bytes.subarray(at, at + chunkLength));
  }
  return btoa(binary);
}

const fromBase64 = (base64: string) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));

import { invalidInput } from '../relay-error.ts';

/** `undefined` for what is no http(s) address. */
export function httpUrl(url: string | URL): URL | undefined {
  try {
    const parsed = new URL(url);
    return /^https?:$/.test(parsed.protocol) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

export function invalidUrl(name: string): never {
  throw invalidInput(`\`${name}\` must be an http(s) address.`);
}

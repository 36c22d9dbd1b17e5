import { createHash } from 'node:crypto';

/** SHA-256 of each case by its name, cut to 128 bits. */
export type Digests = Readonly<Record<string, string>>;

/** What the cases of docs/crypto-vectors.json are now. */
export function digestCases(vectors: string): Digests {
  const { valid, refused }: Record<'valid' | 'refused', { readonly name: string }[]> = JSON.parse(vectors);
  const digest = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 32);
  return Object.fromEntries([...valid, ...refused].map((one) => [one.name, digest(JSON.stringify(one))]));
}

/** Adds the new cases. One that is frozen keeps its digest, also when it has changed or is gone: a test finds it. */
export function freeze(vectors: string, frozen: string): string {
  const all = { ...digestCases(vectors), ...(JSON.parse(frozen) as Digests) };
  const sorted = Object.entries(all).sort(([one], [other]) => (one < other ? -1 : 1));
  return `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`;
}

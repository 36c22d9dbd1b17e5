import { digestOf } from '../store.ts';

/** Whose conversations these are: what an agent stores is filed under it. See docs/crypto-storage.md, "Where it is stored". */
export const ownerOf = async ({ url, apiKey }: { url: string; apiKey: string }): Promise<string> =>
  await digestOf(JSON.stringify([new URL(url).origin, apiKey]));

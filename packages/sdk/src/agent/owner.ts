import { toBase64 } from '../crypto/base64.ts';
import { sha256, toUtf8 } from '../crypto/bytes.ts';

/** Whose conversations these are: what an agent stores is filed under it. See docs/crypto.md, "Where it is stored". */
export const ownerOf = async ({ url, apiKey }: { url: string; apiKey: string }): Promise<string> =>
  `${toBase64(await sha256(toUtf8(apiKey)))}:${new URL(url).origin}`;

import { parseJson, withTimeout } from '@expert-relay/sdk/internal';

interface Limits {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** An answer, and its JSON: undefined when it is none. */
export interface FetchedAnswer {
  readonly response: Response;
  readonly body: unknown;
  readonly isTooLarge: boolean;
}

/** In characters, after decompression: a small gzip body can contain gigabytes. */
const maxLength = 2 ** 23;

/** Fetches an answer and reads it, in limited time and memory, whatever the server sends. */
export function fetchAnswer(
  url: string,
  init: RequestInit,
  { timeoutMs, signal }: Limits,
): Promise<FetchedAnswer> {
  return withTimeout(timeoutMs, signal, async (inTime) => {
    const response = await fetch(url, { ...init, signal: inTime });
    let text = '';
    const isTooLarge = await readText(response, inTime, (piece) => {
      text += piece;
      return text.length > maxLength;
    });
    return { response, body: isTooLarge ? undefined : parseJson(text), isTooLarge };
  });
}

/** Reads a body to its end, or until `take` returns true. Returns whether it did. */
export async function readText(
  { body }: Response,
  inTime: AbortSignal,
  take: (piece: string) => boolean,
): Promise<boolean> {
  if (!body) return false;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const giveUp = () => void reader.cancel().catch(() => {});
  // Node ignores the signal of the call once its request object was garbage-collected.
  inTime.addEventListener('abort', giveUp);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      inTime.throwIfAborted();
      if (done) return false;
      if (take(decoder.decode(value, { stream: true }))) return true;
    }
  } finally {
    inTime.removeEventListener('abort', giveUp);
    giveUp();
  }
}

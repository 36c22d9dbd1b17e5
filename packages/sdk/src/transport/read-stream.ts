import { onAbort } from './aborted.ts';
import { unexpected } from './shape.ts';
import { startTimer } from './timer.ts';

/** Reads a stream of text to its end, and gives up on one that is silent for too long. */
export async function readStream(
  body: ReadableStream<Uint8Array>,
  take: (piece: string) => void,
  opening: number,
  silence: number,
  signal: AbortSignal,
): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const giveUp = () => void reader.cancel().catch(() => {});
  // Not by the call's own signal alone: Node forgets it once it has collected the call's request.
  const release = onAbort(signal, giveUp);
  let stopTimer = startTimer(opening, giveUp);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      stopTimer();
      stopTimer = startTimer(silence, giveUp);
      take(decoder.decode(value, { stream: true }));
    }
  } finally {
    release();
    stopTimer();
    giveUp();
  }
}

/** In characters, after decompression. What a hostile relay can make of JSON this long takes 250 MB of memory. */
const longest = 2 ** 23;

/** Reads an answer to its end, and refuses one that is longer than any of a relay: gzip hides gigabytes in little. */
export async function readText({ body }: Response, timeout: number, signal: AbortSignal): Promise<string> {
  let text = '';
  const take = (piece: string) => {
    text += piece;
    if (text.length > longest) unexpected('at most 8 MiB', 'answer_too_large');
  };
  if (body) await readStream(body, take, timeout, timeout, signal);
  signal.throwIfAborted();
  return text;
}

import { onAbort } from './aborted.ts';
import { createBlockReader, type StreamListener } from './read-blocks.ts';
import { startTimer } from './timer.ts';

/** Reads an event stream to its end, and gives up on one that says nothing for too long. */
export async function readStream(
  body: ReadableStream<Uint8Array>,
  listener: StreamListener,
  timing: { readonly opening: number; readonly silence: number },
  signal: AbortSignal,
): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const take = createBlockReader(listener);
  const giveUp = () => void reader.cancel().catch(() => {});
  // Not by the call's own signal alone: Node forgets it once it has collected the call's request.
  const release = onAbort(signal, giveUp);
  let stopTimer = startTimer(timing.opening, giveUp);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      stopTimer();
      stopTimer = startTimer(timing.silence, giveUp);
      take(decoder.decode(value, { stream: true }));
    }
  } finally {
    release();
    stopTimer();
    giveUp();
  }
}

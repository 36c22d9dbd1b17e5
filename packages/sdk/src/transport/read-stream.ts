import { unexpected } from './shape.ts';
import { onAbort, startTimer } from './waiting.ts';

/** Reads a stream of text to its end. A stream that is silent for too long is cancelled. */
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
  // The fetch call's own signal is not enough: Node ignores it once the request object was garbage-collected.
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

/** In characters, after decompression. Parsed JSON of this length can take 250 MB of memory. */
const maxAnswerLength = 2 ** 23;

/** Reads a response to its end. A response that is too long is refused: a small gzip body can contain gigabytes. */
export async function readText({ body }: Response, timeout: number, signal: AbortSignal): Promise<string> {
  let text = '';
  const take = (piece: string) => {
    text += piece;
    if (text.length > maxAnswerLength) unexpected('at most 8 MiB', 'answer_too_large');
  };
  if (body) await readStream(body, take, timeout, timeout, signal);
  signal.throwIfAborted();
  return text;
}

/** Receives the blocks of a stream. */
export interface StreamListener {
  onEvent(name: string, data: string): void;
  /** The id of the block: a later connection resumes after it. */
  onPosition(id: string): void;
  /** Milliseconds to wait before connecting again. */
  onRetry(wait: number): void;
}

/** In characters. Events are small; only a hostile hub sends a longer block. */
const maxBlockLength = 2 ** 20;

/**
 * Parses an event stream in pieces, as the HTML standard defines it. The usual parsers drop blocks that have only an id, but
 * the hub sends positions in such blocks.
 */
export function createBlockReader(listener: StreamListener): (piece: string) => void {
  let rest = '';
  let block: { id?: string; event?: string; data?: string } = {};
  let length = 0;

  function readLine(line: string): void {
    const [, field = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    length += line.length;
    if (line === '') endBlock();
    else if (field === 'data') block.data = block.data === undefined ? value : `${block.data}\n${value}`;
    else if (field === 'id' || field === 'event') block[field] = value;
    else if (field === 'retry' && /^\d+$/.test(value)) listener.onRetry(Number(value));
  }

  function endBlock(): void {
    const { id, event, data } = block;
    block = {};
    length = 0;
    if (data !== undefined) listener.onEvent(event || 'message', data);
    if (id) listener.onPosition(id);
  }

  return (piece) => {
    rest += piece;
    // A hostile hub can send a line in a million pieces, and searching all of it for each of them would take minutes.
    if (piece.includes('\n')) {
      const lines = rest.split(/\r?\n/);
      rest = lines.pop() ?? '';
      for (const line of lines) readLine(line);
    }
    if (rest.length + length > maxBlockLength) unexpected('a shorter block', 'answer_too_large');
  };
}

import { unexpected } from './shape.ts';

/** What a stream says, block by block. */
export interface StreamListener {
  onEvent(name: string, data: string): void;
  /** Where the stream stands: what to resume from. */
  onPlace(id: string): void;
  /** How long to wait before coming again, in milliseconds. */
  onRetry(wait: number): void;
}

/** Events are small: whoever sends a block longer than this means no good. */
const longest = 2 ** 20;

/**
 * Takes an event stream in pieces, as the HTML standard reads it. By hand, since blocks with an id alone count
 * here, and the usual parsers drop them.
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
    if (id) listener.onPlace(id);
  }

  return (piece) => {
    const lines = (rest + piece).split(/\r?\n/);
    rest = lines.pop() ?? '';
    for (const line of lines) readLine(line);
    if (rest.length + length > longest) unexpected('a shorter block', 'answer_too_large');
  };
}

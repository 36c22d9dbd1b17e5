import { eventually } from './eventually.ts';
import { untilAvailable } from './until-available.ts';

export interface StreamEvent {
  /** `message` unless the hub named it. */
  readonly event: string;
  readonly id: string;
  readonly data: string;
}

export interface TestStream {
  readonly response: Response;
  /** All events so far, oldest first. */
  readonly events: readonly StreamEvent[];
  /** The newest position. Blocks without data have one too. */
  readonly lastEventId: string;
  /** Whether the other side has ended the stream. */
  readonly ended: boolean;
  /** Waits for an event whose JSON has these members, and returns it. Skips the first `from` events. */
  next(
    members: Record<string, unknown>,
    options?: { from?: number; timeoutMs?: number },
  ): Promise<StreamEvent>;
  /** Waits for this number of events, and returns all events. */
  received(count: number): Promise<readonly StreamEvent[]>;
  close(): Promise<void>;
}

/** Subscribes with fetch, as a client without the SDK does. */
export async function openStream(
  url: string,
  options: { headers?: Record<string, string> } = {},
): Promise<TestStream> {
  const aborted = new AbortController();
  const headers = { accept: 'text/event-stream', ...options.headers };
  const response = await untilAvailable(() => fetch(url, { headers, signal: aborted.signal }));
  const events: StreamEvent[] = [];
  let lastEventId = '';
  let ended = false;

  async function read(body: ReadableStream<Uint8Array>): Promise<void> {
    try {
      for await (const block of readBlocks(body)) {
        lastEventId = block.id ?? lastEventId;
        if (block.data !== undefined) {
          events.push({ event: block.event ?? 'message', id: lastEventId, data: block.data });
        }
      }
    } catch (error) {
      if (!aborted.signal.aborted) throw error;
    } finally {
      ended = true;
    }
  }
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
  const reading = isStream && response.body ? read(response.body) : Promise.resolve();

  return {
    response,
    events,
    get lastEventId() {
      return lastEventId;
    },
    get ended() {
      return ended;
    },
    next: (members, { from = 0, timeoutMs } = {}) =>
      eventually(
        `an event with ${JSON.stringify(members)} on ${url}`,
        () => events.slice(from).find(({ data }) => hasMembers(JSON.parse(data), members)),
        timeoutMs === undefined ? {} : { timeoutMs },
      ),
    async received(count) {
      const message = () => `${count} events on ${url}, of which came ${JSON.stringify(events)}`;
      await eventually(message, () => events.length >= count);
      return events;
    },
    async close() {
      aborted.abort();
      await reading;
    },
  };
}

const hasMembers = (value: Record<string, unknown>, members: Record<string, unknown>): boolean =>
  Object.entries(members).every(([name, wanted]) => value[name] === wanted);

export interface Block {
  id?: string;
  event?: string;
  data?: string;
}

/** The blocks of an event stream as the HTML standard defines them, without comments. */
export async function* readBlocks(body: AsyncIterable<Uint8Array>): AsyncGenerator<Block> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of body) {
    const parts = (rest + decoder.decode(bytes, { stream: true })).split('\n\n');
    rest = parts.pop() ?? '';
    for (const part of parts) yield readBlock(part.split('\n'));
  }
}

function readBlock(lines: readonly string[]): Block {
  const block: Block = {};
  for (const line of lines) {
    const [, field, value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (field === 'id') block.id = value;
    if (field === 'event') block.event = value;
    if (field === 'data') block.data = block.data === undefined ? value : `${block.data}\n${value}`;
  }
  return block;
}

/** The URL to subscribe to a topic of a hub. */
export function topicUrl(hubUrl: string, topic: string): string {
  const url = new URL(hubUrl);
  url.searchParams.set('topic', topic);
  return url.href;
}

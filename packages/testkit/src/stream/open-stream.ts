import { eventually } from '../eventually.ts';
import { readBlocks } from './read-blocks.ts';

export interface StreamEvent {
  /** `message` unless the hub named it. */
  readonly event: string;
  readonly id: string;
  readonly data: string;
}

export interface TestStream {
  readonly response: Response;
  /** All that has arrived so far. */
  readonly events: readonly StreamEvent[];
  /** The newest position, from blocks without data too. */
  readonly lastEventId: string;
  /** Whether the other side has ended the stream. */
  readonly ended: boolean;
  /** The first event from `from` on whose JSON has these members; waits for it. */
  next(members: Record<string, unknown>, options?: { from?: number; within?: number }): Promise<StreamEvent>;
  close(): Promise<void>;
}

/** Subscribes like a plain client: fetch, and the lines of an event stream. */
export async function openStream(
  url: string,
  options: { headers?: Record<string, string> } = {},
): Promise<TestStream> {
  const aborted = new AbortController();
  const response = await fetch(url, {
    headers: { accept: 'text/event-stream', ...options.headers },
    signal: aborted.signal,
  });
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
    next: (members, { from = 0, within } = {}) =>
      eventually(
        `an event with ${JSON.stringify(members)} on ${url}`,
        () => events.slice(from).find(({ data }) => hasMembers(JSON.parse(data), members)),
        within === undefined ? {} : { within },
      ),
    async close() {
      aborted.abort();
      await reading;
    },
  };
}

const hasMembers = (value: Record<string, unknown>, members: Record<string, unknown>): boolean =>
  Object.entries(members).every(([name, wanted]) => value[name] === wanted);

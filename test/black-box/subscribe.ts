import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

export interface HubEvent {
  /** `message`, unless the hub named it. */
  readonly event: string;
  readonly id: string;
  readonly data: ReturnType<typeof JSON.parse>;
}

/** A subscription of a client without the SDK. */
export interface Subscription {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** The body of an answer that is not a stream. */
  readonly text: string;
  /** All events so far, oldest first. */
  readonly events: readonly HubEvent[];
  readonly ended: boolean;
  /** Waits until `count` events have arrived, and returns all events. */
  received(count: number): Promise<readonly HubEvent[]>;
  close(): void;
}

/** A limit for what hangs. On a busy machine an event may take seconds. */
const waitMs = 60_000;

/** Sends `GET {hub_url}` with this query and these headers. */
export async function subscribe(
  hubUrl: string,
  query: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Subscription> {
  const url = new URL(hubUrl);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const call = get(url, { agent: false, headers: { accept: 'text/event-stream', ...headers } });
  const response = await responseOf(call);
  const events: HubEvent[] = [];
  const state = { ended: false, text: '' };
  const reading = read(response, state, events);
  if (response.statusCode !== 200) await reading;

  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    events,
    get text() {
      return state.text;
    },
    get ended() {
      return state.ended;
    },
    async received(count) {
      const until = performance.now() + waitMs;
      while (events.length < count && performance.now() < until) await pause(20);
      if (events.length < count)
        throw new Error(
          `${events.length} events arrived in ${waitMs} ms instead of ${count}: ${JSON.stringify(events)}`,
        );
      return events;
    },
    close: () => call.destroy(),
  };
}

function responseOf(call: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => call.once('response', resolve).once('error', reject));
}

async function read(
  response: IncomingMessage,
  state: { ended: boolean; text: string },
  events: HubEvent[],
): Promise<void> {
  const isStream = response.headers['content-type'] === 'text/event-stream';
  let id = '';
  try {
    for await (const piece of response.setEncoding('utf8')) {
      state.text += piece;
      if (!isStream) continue;
      const blocks = state.text.split('\n\n');
      state.text = blocks.pop() ?? '';
      for (const block of blocks) {
        const fields = new Map(
          block
            .split('\n')
            .map(
              (line) => (/^([^:]*): ?(.*)$/.exec(line)?.slice(1) as [string, string] | undefined) ?? ['', ''],
            ),
        );
        id = fields.get('id') ?? id;
        const data = fields.get('data');
        if (data !== undefined)
          events.push({ event: fields.get('event') ?? 'message', id, data: JSON.parse(data) });
      }
    }
  } catch (error) {
    // close() was called.
    if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error;
  } finally {
    state.ended = true;
  }
}

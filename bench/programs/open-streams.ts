import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

export interface Counts {
  readonly open: number;
  readonly events: number;
  /** Since the streams were requested. */
  readonly ms: number;
}

export interface Streams {
  /** Resolves when all streams are open. */
  readonly opened: Promise<void>;
  waitForEvents(perStream: number, timeoutMs: number): Promise<void>;
  counts(): Counts;
  /** Records from now on when each message arrives, by its id. */
  recordArrivals(): Map<string, number>;
  close(): void;
}

export interface StreamOptions {
  port: number;
  /** One stream for each. */
  paths: readonly string[];
  lastEventId?: string;
  /** Whether a stream that is refused, or ends without an event, is opened again. */
  reconnect?: boolean;
}

const reconnectDelayMs = 100;
/** Ten thousand connections at once would overflow the server's listen queue. */
const openedAtOnce = 200;

export function openStreams({ port, paths, lastEventId, reconnect }: StreamOptions): Streams {
  const began = performance.now();
  const counters = paths.map(() => createEventCounter());
  const sockets = new Map<number, { destroy(): void }>();
  let openCount = 0;
  let isClosing = false;
  let resolveOpened: () => void = () => {};
  const opened = new Promise<void>((resolve) => {
    resolveOpened = resolve;
  });

  function connectOne(index: number): void {
    const counter = counters[index];
    if (!counter || isClosing) return;
    const socket = openStream({
      port,
      path: paths[index] ?? '/',
      lastEventId,
      onOpen: () => ++openCount === counters.length && resolveOpened(),
      onBytes: (bytes, length) => counter.read(bytes, length),
    });
    sockets.set(index, socket);
    socket.once('close', () => {
      sockets.delete(index);
      if (reconnect && counter.events === 0) setTimeout(connectOne, reconnectDelayMs, index);
    });
  }

  function counts(): Counts {
    const events = counters.reduce((sum, counter) => sum + counter.events, 0);
    return { open: sockets.size, events, ms: performance.now() - began };
  }

  void (async () => {
    for (let index = 0; index < counters.length; index++) {
      connectOne(index);
      if (index % openedAtOnce === openedAtOnce - 1) await pause(5);
    }
  })();

  return {
    opened,
    counts,
    async waitForEvents(perStream, timeoutMs) {
      const deadline = performance.now() + timeoutMs;
      let at = 0;
      while (at < counters.length) {
        if ((counters[at]?.events ?? 0) >= perStream) at++;
        else if (performance.now() < deadline) await pause(1);
        else throw new Error(`stream ${at} had ${counters[at]?.events} of ${perStream} events in time`);
      }
    },
    recordArrivals() {
      const arrivals = new Map<string, number>();
      for (const counter of counters) counter.arrivals = arrivals;
      return arrivals;
    },
    close() {
      isClosing = true;
      for (const socket of sockets.values()) socket.destroy();
    },
  };
}

// All streams of this process read into the same buffer, so that nothing is allocated for each read.
const buffer = Buffer.alloc(65_536);

/** One connection. `onOpen` is called when the first bytes arrive. */
function openStream(options: {
  port: number;
  path: string;
  lastEventId: string | undefined;
  onOpen: () => void;
  onBytes: (bytes: Buffer, length: number) => void;
}): Socket {
  const { port, path, lastEventId, onOpen, onBytes } = options;
  let isOpen = false;
  const socket = connect({
    port,
    host: '127.0.0.1',
    onread: {
      buffer,
      callback(length) {
        if (!isOpen) {
          isOpen = true;
          onOpen();
        }
        onBytes(buffer, length);
        return true;
      },
    },
  });
  const position = lastEventId === undefined ? '' : `last-event-id: ${lastEventId}\r\n`;
  socket.write(`GET ${path} HTTP/1.1\r\nhost: bench\r\naccept: text/event-stream\r\n${position}\r\n`);
  socket.on('error', () => undefined);
  return socket;
}

const eventStart = '\ndata: {"type"';
const idStart = '"messageId":"';
const idLength = 36;

interface EventCounter {
  readonly events: number;
  /** Where to record the arrival of each message; nothing is recorded if undefined. */
  arrivals: Map<string, number> | undefined;
  read(bytes: Buffer, length: number): void;
}

/** Counts the events of a stream, also those that are split between two reads. */
function createEventCounter(): EventCounter {
  let events = 0;
  /** The end of the last read, which may contain the beginning of an event. */
  let rest = '';

  return {
    get events() {
      return events;
    },
    arrivals: undefined,
    read(bytes, length) {
      const text = rest + bytes.toString('latin1', 0, length);
      let end = 0;
      for (let at = text.indexOf(eventStart); at >= 0; at = text.indexOf(eventStart, end)) {
        const id = this.arrivals ? text.indexOf(idStart, at) + idStart.length : 0;
        // The rest of this event has not arrived yet.
        if (this.arrivals && (id < idStart.length || text.length < id + idLength)) {
          rest = text.slice(at);
          return;
        }
        this.arrivals?.set(text.slice(id, id + idLength), performance.now());
        events++;
        end = at + eventStart.length;
      }
      rest = text.slice(Math.max(end, text.length - eventStart.length + 1));
    },
  };
}

import { setTimeout as pause } from 'node:timers/promises';
import { createEventCounter } from './event-counter.ts';
import { openStream } from './open-stream.ts';

export interface Counts {
  readonly open: number;
  readonly events: number;
  /** Since the streams were asked for. */
  readonly ms: number;
}

export interface Streams {
  readonly opened: Promise<void>;
  until(each: number, within: number): Promise<void>;
  counts(): Counts;
  /** From now on, when each message came, by its id. */
  noteArrivals(): Map<string, number>;
  close(): void;
}

/** One connection for each path. `stubborn` ones that are refused or sent away come again until they are let in. */
export function openStreams(wanted: {
  port: number;
  paths: readonly string[];
  lastEventId?: string;
  stubborn?: boolean;
}): Streams {
  const began = performance.now();
  const counters = wanted.paths.map(() => createEventCounter());
  const sockets = new Map<number, { destroy(): void }>();
  let heads = 0;
  let isClosing = false;
  let resolveOpened: () => void = () => {};
  const opened = new Promise<void>((resolve) => {
    resolveOpened = resolve;
  });

  function connectOne(index: number): void {
    const counter = counters[index];
    if (!counter || isClosing) return;
    const socket = openStream({
      port: wanted.port,
      path: wanted.paths[index] ?? '/',
      lastEventId: wanted.lastEventId,
      onOpen: () => ++heads === counters.length && resolveOpened(),
      onBytes: (bytes, length) => counter.take(bytes, length),
    });
    sockets.set(index, socket);
    socket.once('close', () => {
      sockets.delete(index);
      if (wanted.stubborn && counter.events === 0) setTimeout(connectOne, 100, index);
    });
  }

  function counts(): Counts {
    const events = counters.reduce((sum, counter) => sum + counter.events, 0);
    return { open: sockets.size, events, ms: performance.now() - began };
  }

  // So many at a time: a listening socket has no room for ten thousand that come in one moment.
  void (async () => {
    for (let index = 0; index < counters.length; index++) {
      connectOne(index);
      if (index % 200 === 199) await pause(5);
    }
  })();

  return {
    opened,
    counts,
    async until(each, within) {
      const deadline = performance.now() + within;
      let at = 0;
      while (at < counters.length) {
        if ((counters[at]?.events ?? 0) >= each) at++;
        else if (performance.now() < deadline) await pause(1);
        else throw new Error(`stream ${at} had ${counters[at]?.events} of ${each} events in time`);
      }
    },
    noteArrivals() {
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

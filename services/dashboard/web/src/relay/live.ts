import { createExpert, type ExpertEvent } from '@expert-relay/sdk/expert';
import type { Me } from '../generated/api.ts';
import { relayFetch } from './call.ts';
import { streamIsOpen } from './connection.ts';
import { createPace, createPacedEvents, type Pace, type PacedEvents } from './pace.ts';
import { gapMs } from './rate-limit.ts';
import { aliveMs, createTabs, type Tabs } from './tabs.ts';

/** The live events of this expert's requests. */
export interface Live {
  /** All events. An `unknown` one with `isMissed` says that some were missed: then lists must be read again. */
  listen(call: (event: ExpertEvent) => void): () => void;
  /** The same for the conversations on the screen, at a pace: each event makes them call the relay. */
  listenPaced: PacedEvents['listen'];
  /** This tab shows a conversation: `listenPaced` passes its events on. Returns a function that ends it. */
  watchRequest: PacedEvents['watch'];
  /** Whether this tab shows what it reads, in its window or, as the leading tab, in notifications. */
  isFollowing(): boolean;
  readonly tabs: Tabs;
  readonly pace: Pace;
}

/** One tab reads the event stream and forwards the events to the others. */
export function createLive(me: Me): Live {
  const tabs = createTabs(me.userId);
  const pace = createPace(gapMs);
  const calls = new Set<(event: ExpertEvent) => void>();
  const isVisible = () => document.visibilityState === 'visible';
  const paced = createPacedEvents(pace, isVisible);
  document.addEventListener('visibilitychange', () => pace.wake());
  tabs.isLeading.subscribe(() => pace.wake());

  const emit = (event: ExpertEvent) => {
    for (const call of [...calls]) call(event);
    paced.emit(event);
  };

  tabs.listen((message) => {
    if (message.type === 'event') emit(message.event);
    else if (message.type === 'stream') streamIsOpen.set(message.isOpen);
  });
  tabs.lead(async (signal) => {
    const unlisten = tabs.listen(({ type }) => {
      if (type === 'hello') report();
    });
    const timer = setInterval(report, aliveMs);
    const unsubscribe = streamIsOpen.subscribe(report);
    const expert = createExpert({
      session: true,
      url: location.origin,
      hubUrl: me.hubUrl,
      fetch: fetchAndNoteStream(me),
      // How often lists are read while there is no stream.
      timing: { pollMs: 20_000 },
    });
    try {
      for await (const event of expert.events({ signal })) {
        emit(event);
        tabs.send({ type: 'event', event });
      }
    } finally {
      clearInterval(timer);
      unsubscribe();
      unlisten();
      expert.stop();
    }
  });
  tabs.send({ type: 'hello' });

  function report(): void {
    tabs.send({ type: 'stream', isOpen: streamIsOpen.get() === true });
  }

  return {
    tabs,
    pace,
    listen(call) {
      calls.add(call);
      return () => calls.delete(call);
    },
    listenPaced: paced.listen,
    watchRequest: paced.watch,
    isFollowing: () => isVisible() || tabs.isLeading.get(),
  };
}

/** `fetch` for the client that reads the stream. It also updates `streamIsOpen`. */
function fetchAndNoteStream(me: Me): typeof fetch {
  const hub = new URL(me.hubUrl);
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input, location.href);
    // The page has read it already.
    if (url.pathname === '/api/me') return Response.json(me);
    if (url.origin !== hub.origin || url.pathname.startsWith('/api/')) return relayFetch(input, init);
    try {
      const response = await fetch(input, init);
      streamIsOpen.set(response.ok);
      return response;
    } catch (error) {
      if (!init?.signal?.aborted) streamIsOpen.set(false);
      throw error;
    }
  };
}

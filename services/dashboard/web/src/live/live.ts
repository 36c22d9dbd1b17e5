import { createSessionExpert, type ExpertEvent } from '@expert-relay/sdk/expert';
import { relayFetch } from '../session/call.ts';
import { streamIsOpen } from '../session/connection.ts';
import type { Me } from '../session/me.ts';
import { createPace, createPacedEvents, type Pace } from './pace.ts';
import { aliveMs, createTabs, type Tabs } from './tabs.ts';

/** The live events of this expert's requests. */
export interface Live {
  /** All events. An `unknown` one with `isMissed` says that some were missed: then lists must be read again. */
  listen(call: (event: ExpertEvent) => void): () => void;
  /** The same for open conversations, at a pace: each event makes them call the relay. */
  listenPaced(call: (event: ExpertEvent) => void): () => void;
  readonly tabs: Tabs;
  readonly pace: Pace;
}

/** At most 12 calls a minute after a burst, of all tabs together. The rate limit is 60, and opening a page costs calls too. */
const spacingMs = 5_000;
const burst = 2;

/** One tab reads the event stream and forwards the events to the others. */
export function createLive(me: Me): Live {
  const tabs = createTabs(me.userId);
  const pace = createPace({ burst, spacingMs, countTabs: () => tabs.count() });
  const calls = new Set<(event: ExpertEvent) => void>();
  const paced = createPacedEvents(pace);

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
    const expert = createSessionExpert({
      url: location.origin,
      hubUrl: me.hubUrl,
      fetch: fetchAndNoteStream(me.hubUrl),
      // How often lists are read while there is no stream.
      timing: { poll: 20_000 },
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
  };
}

/** `fetch` for the client that reads the stream. It also updates `streamIsOpen`. */
function fetchAndNoteStream(hubUrl: string): typeof fetch {
  const hub = new URL(hubUrl);
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input, location.href);
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

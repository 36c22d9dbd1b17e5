import type { Access, Timing } from '../client-options.ts';
import type { Api } from './api.ts';
import { createHubStream, type HubStream, type HubStreamOptions } from './hub-stream.ts';
import { createOpenStream, type StreamOptions } from './open-stream.ts';
import { startTimer } from './timer.ts';

/** Says when something may have happened. What it is, the gateway tells: events are hints, and may be lies. */
export interface Hub {
  /**
   * Calls back when what is known of a topic may be out of date: events were missed, or it is only looked at now and
   * then to be sure. Gives what ends it.
   */
  follow(topic: string, onStale: (isMissed: boolean) => void, since?: string): () => void;
  /** Where the stream for the next topic stands: for `since`. */
  place(): string | undefined;
  stop(): void;
}

export interface HubOptions extends Access, StreamOptions {
  readonly timing: Timing;
  readonly onEvent: HubStreamOptions['onEvent'];
}

export function createHub(api: Api, options: HubOptions): Hub {
  const { timing, onEvent } = options;
  const followers = new Set<{ readonly topic: string; readonly call: (isMissed: boolean) => void }>();
  const streams: HubStream[] = [];
  const open = createOpenStream(api, options);
  let stopTimer: (() => void) | undefined;
  let lastLook = performance.now();

  const onStale = (topic: string, isMissed = true) => {
    for (const one of [...followers]) if (one.topic === topic) one.call(isMissed);
  };

  const withRoom = () => streams.find(({ isFull }) => !isFull);

  function stopTicking(): void {
    stopTimer?.();
    stopTimer = undefined;
  }

  function streamFor(topic: string): HubStream {
    let stream = streams.find(({ topics }) => topics.has(topic)) ?? withRoom();
    if (stream) return stream;
    stream = createHubStream({ open, timing, backoff: api.backoff, onEvent, onStale });
    streams.push(stream);
    return stream;
  }

  /** Polls topics whose streams do not come through; when all do, looks at all of them now and then. */
  function tick(): void {
    const blocked = streams.filter(({ isBlocked }) => isBlocked).flatMap(({ topics }) => [...topics]);
    for (const topic of blocked) onStale(topic);
    const now = performance.now();
    if (blocked.length === 0 && now - lastLook >= timing.recheck) {
      lastLook = now;
      for (const { topics } of streams) for (const topic of topics) onStale(topic, false);
    }
    stopTimer = startTimer(Math.max(timing.poll, api.budget.restFor), tick);
  }

  return {
    place: () => withRoom()?.position,
    follow(topic, call, since) {
      const one = { topic, call };
      followers.add(one);
      streamFor(topic).add(topic, since);
      stopTimer ??= startTimer(timing.poll, tick);
      return () => {
        followers.delete(one);
        if ([...followers].some((other) => other.topic === topic)) return;
        for (const stream of streams) stream.remove(topic);
        if (followers.size === 0) stopTicking();
      };
    },
    stop() {
      followers.clear();
      for (const stream of streams) stream.stop();
      stopTicking();
    },
  };
}

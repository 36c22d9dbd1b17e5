import type { Access, Timing } from '../client-options.ts';
import type { Api } from './api.ts';
import { HubStream, type HubStreamOptions, type TopicBeginning } from './hub-stream.ts';
import { createOpenStream, type StreamOptions } from './open-stream.ts';
import { startTimer } from './waiting.ts';

export interface HubOptions extends Access, StreamOptions {
  readonly timing: Timing;
  readonly onEvent: HubStreamOptions['onEvent'];
}

export type Hub = ReturnType<typeof createHub>;

/** Reports that something may have happened. Events are only hints: what happened is read from the gateway. */
export function createHub(api: Api, options: HubOptions) {
  const { timing, onEvent } = options;
  const followers = new Set<{ readonly topic: string; readonly onStale: (isMissed: boolean) => void }>();
  const streams: HubStream[] = [];
  const open = createOpenStream(api, options);
  let stopTimer: (() => void) | undefined;
  let lastRecheck = performance.now();

  const onStale = (topic: string, isMissed = true) => {
    for (const one of [...followers]) if (one.topic === topic) one.onStale(isMissed);
  };

  const findFreeStream = () => streams.find(({ isFull }) => !isFull);

  function stopTicking(): void {
    stopTimer?.();
    stopTimer = undefined;
  }

  function streamFor(topic: string): HubStream {
    let stream = streams.find(({ topics }) => topics.has(topic)) ?? findFreeStream();
    if (stream) return stream;
    stream = new HubStream({ open, timing, backoff: api.backoff, onEvent, onStale });
    streams.push(stream);
    return stream;
  }

  /** Polls the topics of streams that cannot connect. When all are connected, all topics are checked now and then. */
  function tick(): void {
    const blocked = streams.filter(({ isBlocked }) => isBlocked).flatMap(({ topics }) => [...topics]);
    for (const topic of blocked) onStale(topic);
    const now = performance.now();
    if (blocked.length === 0 && now - lastRecheck >= timing.recheckMs) {
      lastRecheck = now;
      for (const { topics } of streams) for (const topic of topics) onStale(topic, false);
    }
    stopTimer = startTimer(Math.max(timing.pollMs, api.budget.waitMs), tick);
  }

  return {
    /** The position of the stream that the next topic will use, for `TopicBeginning`. */
    position: (): string | undefined => findFreeStream()?.position,
    /**
     * Calls back when events of the topic were missed (`isMissed`), and now and then (`recheck`) in any case. Returns a
     * function that stops it.
     */
    follow(topic: string, onTopicStale: (isMissed: boolean) => void, beginning?: TopicBeginning): () => void {
      const one = { topic, onStale: onTopicStale };
      followers.add(one);
      streamFor(topic).add(topic, beginning);
      stopTimer ??= startTimer(timing.pollMs, tick);
      return () => {
        followers.delete(one);
        if ([...followers].some((other) => other.topic === topic)) return;
        for (const stream of streams) stream.remove(topic);
        if (followers.size === 0) stopTicking();
      };
    },
    stop(): void {
      followers.clear();
      for (const stream of streams) stream.stop();
      stopTicking();
    },
  };
}

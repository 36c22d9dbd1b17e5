import { answerCommands } from './answer-commands.ts';
import { openStreams, type StreamOptions, type Streams } from './open-streams.ts';
import { type PostPlan, postAll } from './post-all.ts';

let streams: Streams | undefined;

// The readers of a hub. They are a separate process, and do as little work for each event as possible.
answerCommands({
  async open(options: StreamOptions) {
    streams?.close();
    streams = openStreams(options);
    await streams.opened;
  },
  /** Waits until every stream has received `perStream` events since it was opened. */
  async waitForEvents({ perStream, timeoutMs }: { perStream: number; timeoutMs: number }) {
    await streams?.waitForEvents(perStream, timeoutMs);
    return streams?.counts();
  },
  /** Posts at a steady rate, and measures the time to each answer and to each event. */
  post: (plan: PostPlan) => postAll(plan, streams?.recordArrivals() ?? new Map()),
  close() {
    streams?.close();
    streams = undefined;
  },
});

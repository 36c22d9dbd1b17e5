import { answerCommands } from './answer-commands.ts';
import { openStreams, type Streams } from './open-streams.ts';
import { type PostPlan, postAll } from './post-all.ts';

let streams: Streams | undefined;

// Who listens to a hub, in a process of its own: as little work for each event as there can be.
answerCommands({
  async open(wanted: { port: number; paths: readonly string[]; lastEventId?: string; stubborn?: boolean }) {
    streams?.close();
    streams = openStreams(wanted);
    await streams.opened;
  },
  /** Waits until every stream has had so many events since it was opened. */
  async until({ each, within }: { each: number; within: number }) {
    await streams?.until(each, within);
    return streams?.counts();
  },
  counts: () => streams?.counts(),
  /** Posts at a steady pace, and tells how long each took to be answered and to come out of the streams. */
  post: (plan: PostPlan) => postAll(plan, streams?.noteArrivals() ?? new Map()),
  close() {
    streams?.close();
    streams = undefined;
  },
});

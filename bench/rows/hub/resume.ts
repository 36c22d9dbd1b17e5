import { spreadOf } from '../../measure/spread.ts';
import type { Counts } from '../../programs/open-streams.ts';
import { connectNats } from '../../stage/connect-nats.ts';
import type { Stage } from '../../stage/stage.ts';
import type { Row } from '../row.ts';
import { makeRequestId, pathOf } from './make-request-id.ts';
import { openAnnouncer } from './open-announcer.ts';

const events = 200_000;
const readers = 1_000;
const goal = 5;
const patience = 60_000;

/**
 * A hub that is started while a thousand readers ask for all that they missed, each of its own topic: the worst
 * case, in which every event of the stream has to be read and delivered.
 */
export const resume: Row = {
  name: 'resume',
  onlyByName: true,
  async play(stage, { progress, rounds }) {
    const prefix = 'resume';
    const announcer = await openAnnouncer(stage.natsUrl, prefix);
    const ids = Array.from({ length: readers }, makeRequestId);
    progress(`${events.toLocaleString('en')} events`);
    // One more, whose place they all resume from.
    await announcer.announceAll([makeRequestId()], 1);
    await announcer.announceAll(ids, events);
    const lastEventId = await announcer.firstPosition();
    const program = await stage.program('subscribers');

    const bare: number[] = [];
    const caughtUp: number[] = [];
    const sinceReady: number[] = [];
    const hubCpu: number[] = [];
    const readersCpu: number[] = [];
    for (let round = 1; round <= Math.min(rounds, 5); round++) {
      progress(`round ${round}: a bare reader`);
      bare.push(await readBare(stage, 'RESUME_EVENTS'));
      progress(`round ${round}: the hub`);
      const began = performance.now();
      const hub = await stage.service('hub', {
        as: `hub-resume-${round}`,
        env: { RELAY_NATS_PREFIX: prefix },
      });
      const ready = performance.now();
      const before = [await hub.usage(), await program.usage()] as const;
      await program.ask('open', { port: hub.port, paths: ids.map(pathOf), lastEventId, stubborn: true });
      const counts = await program.ask<Counts>('until', { each: events / readers, within: patience });
      if (counts.events !== events) throw new Error(`${counts.events} of ${events} events came`);
      caughtUp.push((performance.now() - began) / 1_000);
      sinceReady.push((performance.now() - ready) / 1_000);
      hubCpu.push(((await hub.usage()).cpu - before[0].cpu) / 1e6);
      readersCpu.push(((await program.usage()).cpu - before[1].cpu) / 1e6);
      await program.ask('close');
    }
    await announcer.close();
    const [total, own, base] = [spreadOf(caughtUp), spreadOf(sinceReady), spreadOf(bare)];
    const told = ({ median, min, max }: typeof total) =>
      `${median.toFixed(1)} s (${min.toFixed(1)}-${max.toFixed(1)})`;
    return [
      {
        title: `resume: ${readers} readers, ${events.toLocaleString('en')} events, all caught up`,
        note: `${told(own)} after the hub was ready; goal <= ${goal} s: ${own.median <= goal ? 'met' : 'MISSED'}`,
      },
      { title: '  after its process was started', note: told(total) },
      {
        title: '  CPU since it was ready',
        note: `the hub ${told(spreadOf(hubCpu))}, the readers ${told(spreadOf(readersCpu))}`,
      },
      { title: '  a bare nats.js consumer reads the stream', note: told(base) },
    ];
  },
};

/** What the client library takes to read the same events and do nothing with them. */
async function readBare(stage: Stage, stream: string): Promise<number> {
  const { connection, close } = await connectNats(stage.natsUrl);
  const began = performance.now();
  const consumer = await connection.jetstream().consumers.get(stream);
  let left = events + 1;
  for await (const _ of await consumer.consume({ max_messages: 1_000 })) if (--left === 0) break;
  const seconds = (performance.now() - began) / 1_000;
  await close();
  return seconds;
}

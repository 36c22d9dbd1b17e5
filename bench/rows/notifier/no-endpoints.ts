import { setTimeout as pause } from 'node:timers/promises';
import { allProcesses } from '../../environment/all-processes.ts';
import { formatSpread, spreadOf } from '../../measure/spread.ts';
import type { Row } from '../row.ts';
import { startSubmits } from './submits.ts';

const perSecond = 200;
const seconds = 15;
const submits = perSecond * seconds;
/** Microseconds of the notifier for an event: less than the spread of the rest. */
const goal = 5;

/** What the notifier costs an installation without endpoints: its CPU while requests are submitted, and at rest. */
export const noEndpoints: Row = {
  name: 'no-endpoints',
  onlyByName: true,
  async measure(environment, { progress, rounds }) {
    await environment.service('requests');
    await environment.database.waitForOutboxLeader();
    await environment.service('hub');
    const notifier = await environment.service('notifier');
    const submit = await startSubmits(environment, perSecond);
    const all = allProcesses({ but: [environment.load, await environment.program('paced-load')] });

    /** Of the notifier and of all processes, in microseconds. */
    async function cpuDuring(run: () => Promise<unknown>) {
      const before = [await notifier.usage(), await all.usage()] as const;
      await run();
      const after = [await notifier.usage(), await all.usage()] as const;
      return { notifier: after[0].cpu - before[0].cpu, all: after[1].cpu - before[1].cpu };
    }

    progress('warm-up');
    await submit(5);
    await environment.database.waitUntilPublished();
    const rest: number[] = [];
    const busy: number[] = [];
    const ofEvent: number[] = [];
    const ofSubmit: number[] = [];
    for (let round = 1; round <= rounds; round++) {
      progress(`round ${round} of ${rounds}: at rest`);
      const still = await cpuDuring(() => pause(seconds * 1_000));
      progress(`round ${round} of ${rounds}: ${perSecond} submits a second`);
      const loaded = await cpuDuring(async () => {
        const { failed } = await submit(seconds);
        if (failed > 0) throw new Error(`${failed} of ${submits} submits failed`);
      });
      await environment.database.waitUntilPublished();
      rest.push(still.notifier / 1_000 / seconds);
      busy.push(loaded.notifier / 1_000 / seconds);
      ofEvent.push((loaded.notifier - still.notifier) / submits);
      ofSubmit.push((loaded.all - still.all) / submits);
    }
    const cost = spreadOf(ofEvent);
    return [
      {
        title: `no-endpoints: the notifier during ${perSecond} submits/s without an endpoint`,
        note: `${formatSpread(spreadOf(busy), 2)} ms of CPU a second; at rest ${formatSpread(spreadOf(rest), 2)}`,
      },
      {
        title: '  for an event, of which all processes need',
        note: `${formatSpread(cost, 1)} us; ${formatSpread(spreadOf(ofSubmit), 0)} us for a submit; goal <= ${goal}: ${cost.median <= goal ? 'met' : 'MISSED'}`,
      },
    ];
  },
};

import { setTimeout as pause } from 'node:timers/promises';
import type { Scene } from './causes/fault.ts';
import { createClient } from './load/client.ts';
import { converse } from './load/converse.ts';
import { openLedger } from './load/ledger.ts';
import { seedCrowd } from './load/seed-crowd.ts';
import { startTimeline } from './load/timeline.ts';
import type { Plan } from './plan/make-plan.ts';
import { openAudience } from './readers/open-audience.ts';
import { openSilentReaders } from './readers/open-silent-readers.ts';
import { settle } from './settle.ts';
import type { Stage } from './stage/stage.ts';
import { judge } from './verdict/judge.ts';
import type { Verdict } from './verdict/verdict.ts';

/** For what never comes: everything that is only slow has come long before. */
const patience = 90_000;
/** Some never read in any seed. */
const alwaysSilent = 5;

/** Load, faults and readers, all at their times; then the verdict. `began`: when the seed's own time began. */
export async function playPlan(plan: Plan, stage: Stage, began: number): Promise<Verdict> {
  const { user, database, gatewayUrl, hubUrls } = stage;
  const ledger = openLedger();
  const remarks: string[] = [];
  const failures: string[] = [];
  const closing: (() => void)[] = [];
  const givesUp = AbortSignal.timeout(patience);
  const client = createClient(gatewayUrl, givesUp);
  const audience = openAudience({ hubUrls, user, random: plan.random, perRequest: plan.readersPerRequest });
  await audience.opened();

  function openSilent(count: number): void {
    const topic = `/svc/providers/${user.userId}/activity`;
    closing.push(openSilentReaders(count, { hubUrls, topic, apiKey: user.providerKey }));
  }
  openSilent(alwaysSilent);

  const timeline = startTimeline();
  const scene: Scene = {
    ...stage,
    timeline,
    readers: audience.readers,
    remark: (text) => void remarks.push(text),
    openSilentReaders: openSilent,
  };
  try {
    const { crowd } = plan;
    await Promise.all([
      crowd && seedCrowd(database, user.userId, crowd, crowd.dueAt),
      ...plan.scripts.map((script) =>
        converse(script, { client, user, ledger, timeline, onSubmitted: audience.follow }),
      ),
      ...plan.faults.map(async ({ title, cause }) => {
        await cause(scene).catch((error) => failures.push(`${title} could not be caused: ${error.message}`));
      }),
    ]);
    failures.push(...(await settle({ stage, readers: audience.readers, within: patience })));
    // For what might come a second time.
    await pause(700);
    await audience.stop();
    const judged = await judge({ plan, stage, client, ledger, readers: audience.readers });
    return {
      ...judged,
      seconds: (performance.now() - began) / 1_000,
      remarks: [...remarks, ...judged.remarks],
      failures: [...failures, ...judged.failures],
    };
  } finally {
    for (const close of closing) close();
    await audience.stop();
    client.close();
  }
}

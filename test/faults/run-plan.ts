import { setTimeout as pause } from 'node:timers/promises';
import type { FaultContext } from './catalog/fault.ts';
import { checkSeed } from './checks/check-seed.ts';
import type { SeedResult } from './checks/seed-result.ts';
import { settleDeliveries } from './deliveries/settle-deliveries.ts';
import type { Environment } from './environment/environment.ts';
import { createClient } from './load/client.ts';
import { converse } from './load/converse.ts';
import { openLedger } from './load/ledger.ts';
import { seedRequests } from './load/seed-requests.ts';
import { startTimeline } from './load/timeline.ts';
import type { Plan } from './plan/make-plan.ts';
import { openReaders, openSilentReaders } from './readers/open-readers.ts';
import { restoreAndWait } from './wait-for-completion.ts';

/** Longer than anything takes that only is slow. */
const timeoutMs = 300_000;
/** Every seed has some readers that never read. */
const silentReaders = 5;

/** Runs load, faults and readers at their planned times, and checks the result. `began`: when the seed began. */
export async function runPlan(plan: Plan, environment: Environment, began: number): Promise<SeedResult> {
  const { user, channels, database, gatewayUrl, hubUrls } = environment;
  const ledger = openLedger();
  const remarks: string[] = [];
  const failures: string[] = [];
  const closing: (() => void)[] = [];
  const stopSignal = AbortSignal.timeout(timeoutMs);
  const client = createClient(gatewayUrl, stopSignal);
  const readers = openReaders({ hubUrls, user, random: plan.random, perRequest: plan.readersPerRequest });
  await readers.opened();

  function openSilent(count: number): void {
    const topic = `/svc/providers/${user.userId}/activity`;
    closing.push(openSilentReaders(count, { hubUrls, topic, apiKey: user.providerKey }));
  }
  openSilent(silentReaders);

  const timeline = startTimeline();
  const context: FaultContext = {
    ...environment,
    timeline,
    readers: readers.all,
    remark: (text) => void remarks.push(text),
    openSilentReaders: openSilent,
  };
  try {
    const { seeded } = plan;
    await Promise.all([
      seeded && seedRequests(database, user.userId, seeded, seeded.expireAt),
      ...plan.scripts.map((script) =>
        converse(script, { client, user, ledger, timeline, onSubmitted: readers.follow }),
      ),
      ...plan.waiting.map((script) =>
        converse(script, {
          client,
          user: channels.user,
          ledger: openLedger(),
          timeline,
          onSubmitted: ({ requestId }) => void channels.keepWaiting(requestId),
        }),
      ),
      ...plan.faults.map(async ({ title, inject }) => {
        await inject(context).catch((error) =>
          failures.push(`${title} could not be injected: ${error.message}`),
        );
      }),
    ]);
    failures.push(...(await restoreAndWait({ environment, readers: readers.all, timeoutMs })));
    const deliveries = await settleDeliveries(environment, 2 * timeoutMs);
    failures.push(...deliveries.failures);
    remarks.push(deliveries.remark);
    // An event that is delivered twice would arrive during this time.
    await pause(700);
    await readers.stop();
    const checked = await checkSeed({ plan, environment, client, ledger, readers: readers.all });
    return {
      ...checked,
      seconds: (performance.now() - began) / 1_000,
      remarks: [...remarks, ...checked.remarks],
      failures: [...failures, ...checked.failures],
    };
  } finally {
    for (const close of closing) close();
    await readers.stop();
    client.close();
  }
}

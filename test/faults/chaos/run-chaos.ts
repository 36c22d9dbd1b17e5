import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { makeOnce } from '../../../scripts/local/cached-folder.ts';
import type { Run } from '../../../scripts/local/with-run.ts';
import { installPackage } from '../../../scripts/servers/sources/npm.ts';
import { readLists } from '../checks/check-ledger.ts';
import { checkSeed } from '../checks/check-seed.ts';
import { collectCommitted } from '../checks/read-committed.ts';
import { createRandom } from '../plan/random.ts';
import { runAndKeepLogs } from '../run-and-keep-logs.ts';
import { waitForCompletion } from '../wait-for-completion.ts';
import { describeConnection } from './attack/connection.ts';
import { drawConnection } from './attack/draw-connection.ts';
import type { Assignment } from './attack/program.ts';
import { startAttackers } from './attackers.ts';
import { openChaosEnvironment } from './environment.ts';
import { startHonestClients } from './honest-clients.ts';
import { prepareAttacker, signIn } from './prepare-attacker.ts';
import { type ChaosResult, type EndedProcess, makeChaosResult, type Period } from './result.ts';
import type { ChaosSettings } from './settings.ts';
import { readLogProblems, startWatch } from './watch.ts';

/** The most connections at the same time: the attack has many kinds of connections, and is not a flood. */
const atOnce = 400;
/** The attack stops after this number of ends of processes. */
const mostEnded = 8;
const mostDescribed = 10;
const renewKnowledgeMs = 5_000;
const timeoutMs = 90_000;
/** Only this last part of a phase is measured, since its beginning is affected by the phase before. */
const measuredShare = 0.6;

type Progress = (text: string) => void;

/** Runs one attack in a new environment; `undefined` if it was interrupted. */
export async function runChaos(
  settings: ChaosSettings,
  progress: Progress = () => {},
): Promise<ChaosResult | undefined> {
  return runAndKeepLogs(`chaos-${settings.seed}`, async (run) => {
    const node =
      settings.node === undefined ? process.execPath : await fetchNode(settings.node, run.home.cache);
    const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
    return runInEnvironment(settings, { run, node, version, progress });
  });
}

async function runInEnvironment(
  settings: ChaosSettings,
  { run, node, version, progress }: { run: Run; node: string; version: string; progress: Progress },
): Promise<ChaosResult> {
  const began = performance.now();
  progress('starting');
  const environment = await openChaosEnvironment(run, { node, limits: settings.limits });
  const watch = startWatch(run);
  const attackers = await startAttackers(run);
  try {
    const renewKnowledge = await prepareAttacker(environment);
    const knowledge = await renewKnowledge();
    attackers.setKnowledge(knowledge);
    // It fails while a process is down; then the old knowledge stays.
    const renewal = setInterval(
      () => void renewKnowledge().then(attackers.setKnowledge, () => {}),
      renewKnowledgeMs,
    );
    const cookie = await signIn(environment.gatewayUrl, 'dev');
    const honest = await startHonestClients({ ...environment, cookie }, createRandom(settings.seed));
    const committed = collectCommitted(environment);
    const endedProcesses: EndedProcess[] = [];
    watch.onEnded(async (ended) => {
      const recent = await attackers.recent();
      endedProcesses.push({ ...ended, recent: recent.filter(({ beganAt }) => beganAt <= ended.at) });
      if (endedProcesses.length >= mostEnded) attackers.halt();
    });

    const phase = async (title: string, ms: number): Promise<Period> => {
      progress(title);
      const from = performance.now() + ms * (1 - measuredShare);
      await pause(ms);
      return { from, to: performance.now() };
    };
    const attack = (title: string, from: number, to: number) => {
      const { seed, only, perSecond } = settings;
      const assignment: Assignment = {
        seed,
        from,
        to,
        ...(only ? { only } : {}),
        perSecond,
        atOnce,
        ports: { gateway: portOf(environment.gatewayUrl), hub: portOf(environment.hubUrl) },
      };
      const total = only?.length ?? to - from;
      return attackers.attack(assignment, (started, open) => {
        const ends = watch.ended.length === 0 ? '' : `, ${watch.ended.length} ENDS OF PROCESSES`;
        progress(
          `${title}: ${started.toLocaleString('en')} of ${total.toLocaleString('en')}, ${open} open${ends}`,
        );
      });
    };

    const { warmUp, connections, quietMs } = settings;
    if (warmUp > 0) await attack('warm-up', 0, warmUp);
    const before = await phase('quiet before', quietMs);
    const memoryBefore = quietMs > 0 ? await watch.memoryAfterGc() : {};
    watch.takePeak();
    const from = performance.now();
    const done = await attack('attack', warmUp, warmUp + connections);
    const during = { from, to: performance.now() };
    const peak = watch.takePeak();
    const after = await phase('quiet after', quietMs);
    const memoryAfter = quietMs > 0 ? await watch.memoryAfterGc() : {};

    progress('waiting for completion');
    clearInterval(renewal);
    await honest.finish();
    const { database, user } = environment;
    const { readers, ledger, client, clientOptions } = honest;
    const incomplete = await waitForCompletion({
      database,
      userId: user.userId,
      readers,
      committed: committed.now,
      timeoutMs,
    });
    // An event that is delivered twice would arrive during this time.
    await pause(700);
    await honest.stop();
    const checked = await checkSeed({
      plan: { seed: settings.seed, faults: [], mayLosePositions: false },
      environment,
      client,
      ledger,
      readers,
      committed: await committed.now(),
      lists: await readLists(environment, ledger, clientOptions),
    });
    watch.stop();
    committed.stop();
    return makeChaosResult({
      settings,
      node: version,
      done,
      seconds: (performance.now() - began) / 1_000,
      periods: { before, during, after },
      timings: honest.timings,
      memory: { before: memoryBefore, during: peak, after: memoryAfter },
      retries: client.retries,
      checked: { ...checked, failures: [...incomplete, ...checked.failures] },
      endedProcesses,
      logProblems: readLogProblems(run.home),
      described: (settings.only ?? [])
        .slice(0, mostDescribed)
        .map((index) => describeConnection(drawConnection(settings.seed, index, knowledge))),
    });
  } finally {
    watch.stop();
    attackers.stop();
    await environment.close();
  }
}

const portOf = (url: string): number => Number(new URL(url).port);

/** The program of another Node version, from npm. It is stored in the cache of the servers. */
async function fetchNode(major: string, cache: string): Promise<string> {
  const name = `node-${process.platform}-${process.arch}`;
  const folder = join(cache, 'npm', `${name}-${major}`);
  const wanted = `${name}@${major}`;
  const failure = `Node ${major} is not available: npm install ${wanted} failed. Leave --node out to use ${process.version}.`;
  await makeOnce(folder, (draft) => installPackage(wanted, draft, failure));
  return join(folder, 'node_modules', name, 'bin/node');
}

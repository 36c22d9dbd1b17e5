import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openHome } from '../../../scripts/local/home.ts';
import { type Run, withRun } from '../../../scripts/local/with-run.ts';
import { createTerminal } from '../../../scripts/terminal/terminal.ts';
import { createRandom } from '../plan/random.ts';
import { untilAllCame } from '../settle.ts';
import { judge } from '../verdict/judge.ts';
import { readLists } from '../verdict/read-lists.ts';
import { describeConnection } from './attack/connection.ts';
import { drawConnection } from './attack/draw-connection.ts';
import type { Assignment } from './attack/program.ts';
import { startAttackers } from './attackers.ts';
import { collectTruth } from './collect-truth.ts';
import { fetchNode } from './fetch-node.ts';
import { startHonest } from './honest.ts';
import { prepareAttacker } from './knowledge.ts';
import type { ChaosSettings } from './settings.ts';
import { signInDev } from './sign-in-dev.ts';
import { openChaosStage } from './stage.ts';
import { type Casualty, type ChaosVerdict, makeVerdict, type Period } from './verdict.ts';
import { readTroubles, startWatch } from './watch.ts';

/** Never more open at once: the attack is broad, not a flood. */
const atOnce = 400;
/** After so many ends of processes there is enough to look at. */
const mostCasualties = 8;
const mostDescribed = 10;
const renewKnowledgeMs = 5_000;
const patienceMs = 90_000;
/** The last of a phase is measured; its beginning is for what the phase before has left. */
const measured = 0.6;

type Say = (text: string) => void;

/** One chaos run from nothing to a verdict; `undefined` when it was interrupted. Logs of a failure are kept. */
export async function runChaos(
  settings: ChaosSettings,
  say: Say = () => {},
): Promise<ChaosVerdict | undefined> {
  const home = openHome(mkdtempSync(join(tmpdir(), `expert-relay-chaos-${settings.seed}-`)));
  const log = home.log('harness');
  const write = (text: string | Uint8Array) => {
    appendFileSync(log, text);
    return true;
  };
  try {
    const node = settings.node === undefined ? process.execPath : await fetchNode(settings.node, home.cache);
    const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
    const verdict = await withRun(
      { home, terminal: createTerminal({ write }, {}), remove: [home.path] },
      (run) => play(settings, { run, node, version, say }),
    );
    if (!verdict || verdict.failures.length === 0) return verdict;
    const kept = join(mkdtempSync(join(tmpdir(), `expert-relay-chaos-failed-${settings.seed}-`)), 'logs');
    renameSync(home.file('logs'), kept);
    return { ...verdict, remarks: [...verdict.remarks, `logs in ${kept}`] };
  } finally {
    rmSync(home.path, { recursive: true, force: true });
  }
}

async function play(
  settings: ChaosSettings,
  { run, node, version, say }: { run: Run; node: string; version: string; say: Say },
): Promise<ChaosVerdict> {
  const began = performance.now();
  say('starting');
  const stage = await openChaosStage(run, { node, limits: settings.limits });
  const watch = startWatch(run);
  const attackers = await startAttackers(run);
  try {
    const know = await prepareAttacker(stage);
    const knowledge = await know();
    attackers.know(knowledge);
    // While a process is down there is nothing new to know.
    const renewal = setInterval(() => void know().then(attackers.know, () => {}), renewKnowledgeMs);
    const cookie = await signInDev(stage.gatewayUrl, 'dev');
    const honest = await startHonest({ ...stage, cookie }, createRandom(settings.seed));
    const truth = collectTruth(stage);
    const casualties: Casualty[] = [];
    watch.onEnded(async (ended) => {
      const recent = await attackers.recent();
      casualties.push({ ...ended, recent: recent.filter(({ beganAt }) => beganAt <= ended.at) });
      if (casualties.length >= mostCasualties) attackers.halt();
    });

    const phase = async (title: string, ms: number): Promise<Period> => {
      say(title);
      const from = performance.now() + ms * (1 - measured);
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
        ports: { gateway: portOf(stage.gatewayUrl), hub: portOf(stage.hubUrl) },
      };
      const total = only?.length ?? to - from;
      return attackers.attack(assignment, (begun, open) => {
        const ends = watch.ended.length === 0 ? '' : `, ${watch.ended.length} ENDS OF PROCESSES`;
        say(`${title}: ${begun.toLocaleString('en')} of ${total.toLocaleString('en')}, ${open} open${ends}`);
      });
    };

    const { warmUp, connections, quietMs } = settings;
    if (warmUp > 0) await attack('warm-up', 0, warmUp);
    const before = await phase('quiet before', quietMs);
    const keptBefore = await watch.kept();
    watch.peak();
    const from = performance.now();
    const done = await attack('attack', warmUp, warmUp + connections);
    const during = { from, to: performance.now() };
    const peak = watch.peak();
    const after = await phase('quiet after', quietMs);
    const keptAfter = await watch.kept();

    say('coming to rest');
    clearInterval(renewal);
    await honest.finish();
    const { database, user } = stage;
    const { readers, ledger, client, clientOptions } = honest;
    const unsettled = await untilAllCame({
      database,
      userId: user.userId,
      readers,
      truth: truth.now,
      within: patienceMs,
    });
    // For what might come a second time.
    await pause(700);
    await honest.stop();
    const judged = await judge({
      plan: { seed: settings.seed, faults: [], mayLosePositions: false },
      stage,
      client,
      ledger,
      readers,
      truth: await truth.now(),
      lists: await readLists(stage, ledger, clientOptions),
    });
    watch.stop();
    truth.stop();
    return makeVerdict({
      settings,
      node: version,
      done,
      seconds: (performance.now() - began) / 1_000,
      periods: { before, during, after },
      timings: honest.timings,
      memory: { before: keptBefore, during: peak, after: keptAfter },
      retries: client.retries,
      judged: { ...judged, failures: [...unsettled, ...judged.failures] },
      casualties,
      troubles: readTroubles(run.home),
      described: (settings.only ?? [])
        .slice(0, mostDescribed)
        .map((index) => describeConnection(drawConnection(settings.seed, index, knowledge))),
    });
  } finally {
    watch.stop();
    attackers.stop();
    await stage.close();
  }
}

const portOf = (url: string): number => Number(new URL(url).port);

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Run } from '../../../scripts/local/with-run.ts';
import { identify } from '../../../scripts/processes/process-identity.ts';
import type { Knowledge } from './attack/connection.ts';
import type { Assignment, Order, Recent, Report } from './attack/program.ts';

/** The attackers' process, as its parent sees it. */
export interface Attackers {
  /** What they know changes: sessions end, and tokens expire. */
  know(knowledge: Knowledge): void;
  attack(assignment: Assignment, onProgress: (begun: number, open: number) => void): Promise<Done>;
  /** Begins no further connection. */
  halt(): void;
  /** Connections that are open or were, a moment ago. */
  recent(): Promise<readonly Recent[]>;
  stop(): void;
}

export type Done = Extract<Report, { report: 'done' }>;

const program = fileURLToPath(new URL('attack/program.ts', import.meta.url));

export async function startAttackers(run: Run): Promise<Attackers> {
  const { NODE_OPTIONS: _forTests, ...env } = process.env;
  const child = fork(program, { execArgv: ['--import', 'tsx'], env });
  const identity = child.pid && identify(child.pid);
  if (child.pid && identity)
    run.adopt({ name: 'attackers', tier: 4, stopSignal: 'SIGTERM', pid: child.pid, identity });
  let ended: string | undefined;
  child.on('exit', (code, signal) => {
    ended = `the attackers' process ended (${signal ?? code})`;
  });
  const order = (message: Order) => void (child.connected && child.send(message));
  await once(child, 'message');

  return {
    know: (knowledge) => order({ order: 'know', knowledge }),
    attack(assignment, onProgress) {
      return new Promise((resolve, reject) => {
        const end = () => reject(new Error(ended ?? 'the attackers are gone'));
        if (ended) return end();
        const hear = (report: Report) => {
          if (report.report === 'progress') onProgress(report.begun, report.open);
          if (report.report !== 'done') return;
          child.off('message', hear);
          child.off('exit', end);
          resolve(report);
        };
        child.on('message', hear);
        child.once('exit', end);
        order({ order: 'begin', assignment });
      });
    },
    halt: () => order({ order: 'stop' }),
    recent() {
      return new Promise((resolve) => {
        const hear = (report: Report) => {
          if (report.report !== 'recent') return;
          child.off('message', hear);
          resolve(report.recent);
        };
        child.on('message', hear);
        child.once('exit', () => resolve([]));
        order({ order: 'recall' });
      });
    },
    stop() {
      child.removeAllListeners();
      if (child.connected) child.disconnect();
    },
  };
}

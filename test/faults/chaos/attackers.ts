import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Run } from '../../../scripts/local/with-run.ts';
import type { Knowledge } from './attack/connection.ts';
import type { Assignment, Command, Recent, Report } from './attack/program.ts';

/** The process of the attackers, as seen by its parent. */
export interface Attackers {
  /** Replaces their knowledge, since sessions end and tokens expire. */
  setKnowledge(knowledge: Knowledge): void;
  attack(assignment: Assignment, onProgress: (started: number, open: number) => void): Promise<Done>;
  /** Begins no further connection. */
  halt(): void;
  /** Connections that are open, or were open shortly before. */
  recent(): Promise<readonly Recent[]>;
  stop(): void;
}

export type Done = Extract<Report, { report: 'done' }>;

const program = fileURLToPath(new URL('attack/program.ts', import.meta.url));

export async function startAttackers(run: Run): Promise<Attackers> {
  const { NODE_OPTIONS: _forTests, ...env } = process.env;
  const child = fork(program, { execArgv: ['--import', 'tsx'], env });
  run.supervisor.adopt('attackers', child.pid);
  let ended: string | undefined;
  child.on('exit', (code, signal) => {
    ended = `the attackers' process ended (${signal ?? code})`;
  });
  const send = (command: Command) => void (child.connected && child.send(command));
  await once(child, 'message');

  return {
    setKnowledge: (knowledge) => send({ command: 'set knowledge', knowledge }),
    attack(assignment, onProgress) {
      return new Promise((resolve, reject) => {
        const onExit = () => reject(new Error(ended ?? 'the attackers have ended'));
        if (ended) return onExit();
        const onReport = (report: Report) => {
          if (report.report === 'progress') onProgress(report.started, report.open);
          if (report.report !== 'done') return;
          child.off('message', onReport);
          child.off('exit', onExit);
          resolve(report);
        };
        child.on('message', onReport);
        child.once('exit', onExit);
        send({ command: 'begin', assignment });
      });
    },
    halt: () => send({ command: 'stop' }),
    recent() {
      return new Promise((resolve) => {
        const onReport = (report: Report) => {
          if (report.report !== 'recent') return;
          child.off('message', onReport);
          resolve(report.recent);
        };
        child.on('message', onReport);
        child.once('exit', () => resolve([]));
        send({ command: 'report recent' });
      });
    },
    stop() {
      child.removeAllListeners();
      if (child.connected) child.disconnect();
    },
  };
}

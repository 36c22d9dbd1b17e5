import type { Program } from '../processes/program.ts';
import type { Launch, Place, ServerKind } from './server-kind.ts';

/** A server as the supervisor runs it. */
export function programFor(kind: ServerKind, place: Place, launch: Launch): Program {
  const url = new URL(kind.url(place));
  const { command, args, env, cwd = '/', uid, gid, container, prepare } = launch;
  return {
    name: kind.name,
    tier: 0,
    command,
    args,
    // A locale that is not installed keeps Postgres from starting.
    env: { ...process.env, LC_ALL: 'C', ...env },
    cwd,
    logFile: place.home.log(kind.name),
    stopSignal: kind.stopSignal,
    ...(uid === undefined ? {} : { uid }),
    ...(gid === undefined ? {} : { gid }),
    ...(container ? { container } : {}),
    ...(prepare ? { prepare } : {}),
    async notReady() {
      try {
        await kind.probe(url);
        return undefined;
      } catch (error) {
        return (error as Error).message || (error as NodeJS.ErrnoException).code || 'it does not answer';
      }
    },
  };
}

import { lookUpProcess } from './look-up-process.ts';
import { identify, isRunning, type KnownProcess } from './process-identity.ts';

/**
 * Calls back when the npm that started this process is gone. Nobody could stop us with Ctrl-C then,
 * and whoever killed npm meant the whole of it.
 */
export function watchStarter(gone: () => void, env = process.env): void {
  const starter = env.npm_lifecycle_event ? findNpm(process.ppid) : undefined;
  if (!starter) return;
  const timer = setInterval(() => {
    if (isRunning(starter)) return;
    clearInterval(timer);
    gone();
  }, 250);
  timer.unref();
}

/** npm is our parent, or the parent of the shell between. */
function findNpm(parent: number): KnownProcess | undefined {
  for (let pid = parent, hops = 0; pid > 1 && hops < 2; hops += 1) {
    const identity = identify(pid);
    const found = lookUpProcess(pid);
    if (!identity || !found) return undefined;
    if (found.words.slice(0, 2).some((word) => /(^|\/)npm(-cli\.js)?$/.test(word))) return { pid, identity };
    pid = found.parent;
  }
  return undefined;
}

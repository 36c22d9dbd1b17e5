import { readProcessTree } from './process-usage.ts';
import type { BenchProcess } from './processes.ts';

/** The usage of all processes that the bench has started, except those that make the load and read the streams. */
export function allProcesses({ but }: { but: readonly BenchProcess[] }): BenchProcess {
  const unsupported = () => Promise.reject(new Error('All processes together answer no commands.'));
  return {
    name: 'all processes',
    port: 0,
    call: unsupported,
    async usage() {
      const tree = readProcessTree(process.pid).filter(({ pid }) => pid !== process.pid);
      const all = tree.reduce((sum, { cpuSeconds }) => sum + cpuSeconds * 1e6, 0);
      const others = await Promise.all(but.map((one) => one.usage()));
      return { cpu: all - others.reduce((sum, { cpu }) => sum + cpu, 0), rss: 0, heap: 0 };
    },
  };
}

import { rmSync } from 'node:fs';
import { type Home, root } from '../local/home.ts';
import type { Program } from '../processes/program.ts';
import { findCompiler } from '../steps/find-compiler.ts';

/** The compiler, compiling whatever is saved. */
export async function compilerProgram(home: Home): Promise<Program> {
  const logFile = home.log('compiler');
  return {
    name: 'compiler',
    tier: 4,
    command: await findCompiler(),
    args: ['--build', '--watch', '--preserveWatchOutput', 'tsconfig.build.json'],
    env: process.env,
    cwd: root,
    logFile,
    stopSignal: 'SIGTERM',
    prepare: async () => rmSync(logFile, { force: true }),
    notReady: async () => undefined,
  };
}

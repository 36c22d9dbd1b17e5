import { rmSync } from 'node:fs';
import { type Home, root } from '../local/home.ts';
import type { Program } from '../processes/program.ts';
import { buildWebCommand } from '../steps/build-web.ts';
import { findCompiler } from '../steps/find-compiler.ts';

/** The compiler, which compiles what is saved. */
export async function compilerProgram(home: Home): Promise<Program> {
  return watcher(home, {
    name: 'compiler',
    command: await findCompiler(),
    args: ['--build', '--watch', '--preserveWatchOutput', 'tsconfig.build.json'],
  });
}

/** Vite, which builds the web app when a source file of it is saved. */
export function webProgram(home: Home): Program {
  const { command, args } = buildWebCommand;
  return watcher(home, { name: 'web', command, args: [...args, '--watch'] });
}

function watcher(home: Home, program: Pick<Program, 'name' | 'command' | 'args'>): Program {
  const logFile = home.log(program.name);
  return {
    ...program,
    tier: 4,
    env: process.env,
    cwd: root,
    logFile,
    stopSignal: 'SIGTERM',
    prepare: async () => rmSync(logFile, { force: true }),
    notReady: async () => undefined,
  };
}

import { spawn } from 'node:child_process';
import { existsSync, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { root } from './local/home.ts';
import { serviceNames } from './local/services.ts';
import { type Run, withRun } from './local/with-run.ts';
import { startProduct } from './start.ts';
import { buildCli, findCompiler, web, webApp } from './steps/build.ts';
import { reportFailure } from './terminal/failure.ts';

const quietMs = 300;

/** `npm run dev`: as `npm start`; saved files are compiled, and the services that use them restarted. */
export async function dev(): Promise<void> {
  await withRun({}, async (run) => {
    // Compiled files of services are replaced when they are saved, their bundles are not.
    await startProduct(run, { isLean: false });
    restartOnNewCode(run);
    const show = (line: string) => run.terminal.line(`  ${line}`);
    const compilerArgs = ['--build', '--watch', '--preserveWatchOutput', 'tsconfig.build.json'];
    startBuilding(run, 'compiler', [await findCompiler(), ...compilerArgs], (line) => {
      if (/error TS\d+/.test(line)) show(line);
    });
    startBuilding(run, 'web', [process.execPath, ...webApp.args, '--watch'], show);
    bundleOnNewCode();
    await run.interrupted;
  });
}

/** Starts a program that builds what is saved, and calls back with each line that it prints. */
function startBuilding(
  run: Run,
  name: string,
  [command = '', ...args]: readonly string[],
  onLine: (line: string) => void,
): void {
  const child = spawn(command, args, { cwd: root, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const input of [child.stdout, child.stderr]) createInterface({ input }).on('line', onLine);
  run.supervisor.adopt(name, child.pid);
}

/** Bundles the command line again when its sources have changed. */
function bundleOnNewCode(): void {
  let timer: NodeJS.Timeout | undefined;
  // One at a time: the last one has the newest sources.
  let building: Promise<unknown> = Promise.resolve();
  const build = () => {
    building = building.then(buildCli).catch(reportFailure);
  };
  const onChange = () => {
    clearTimeout(timer);
    timer = setTimeout(build, quietMs);
  };
  for (const name of ['cli', 'sdk'])
    watch(join(root, 'packages', name, 'src'), { recursive: true }, onChange);
}

/** Restarts a service when its compiled code has changed, and all of them when that of a package has. */
function restartOnNewCode({ supervisor }: Run): void {
  const changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  function note(workspace: string): void {
    changed.add(workspace);
    clearTimeout(timer);
    timer = setTimeout(() => {
      const all = [...changed].some((name) => name.startsWith('packages/'));
      for (const name of serviceNames)
        if (all || changed.has(`services/${name}`)) void supervisor.restart(name);
      changed.clear();
    }, quietMs);
  }

  const workspaces = ['packages', 'services'].flatMap((kind) =>
    readdirSync(join(root, kind)).map((name) => `${kind}/${name}`),
  );
  // Services do not use the command line.
  for (const workspace of workspaces.filter((name) => name !== 'packages/cli')) {
    const built = join(root, workspace, 'dist');
    // The compiler writes `.tsbuildinfo` even where no code has changed.
    const onChange = (_event: string, file: string | null) => file?.endsWith('.js') && note(workspace);
    if (existsSync(built)) watch(built, { recursive: true }, onChange);
  }
  // The dashboard serves the web app.
  watch(join(root, web, 'dist'), { recursive: true }, () => note('services/dashboard'));
}

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findHelm } from './chart/testing/go-tool.ts';
import { root } from './local/home.ts';
import { closeSection } from './release/changelog.ts';
import { makeFiles } from './release/make-files.ts';
import { type CommandLine, publishCommands } from './release/publish.ts';
import { statesVersion, writeVersions } from './release/versions.ts';
import { StepError, UsageError } from './terminal/failure.ts';
import { createTerminal } from './terminal/terminal.ts';

const folder = join(root, 'release');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const currentVersion = (): string => JSON.parse(read('package.json')).version;

/** `npm run release -- version X | images | make | publish`; see CONTRIBUTING.md. */
export async function release([step, ...options]: string[]): Promise<void> {
  const steps: Record<string, () => Promise<void> | void> = {
    version: () => setVersion(options[0] ?? ''),
    images: () => runAll([imagesCommand()], options),
    make: makeRelease,
    publish: () => runAll(publishCommands(currentVersion(), folder), options),
  };
  const run = steps[step ?? ''];
  if (!run)
    throw new UsageError(`Say one of: ${Object.keys(steps).join(', ')}. CONTRIBUTING.md explains them.`);
  mkdirSync(folder, { recursive: true });
  await run();
}

/** Writes the version into all files that state it, and closes the section of the changelog. */
function setVersion(version: string): void {
  if (!/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(version)) {
    throw new UsageError('A version looks like 1.2.3 or 1.2.3-rc.1: npm run release -- version 1.2.3');
  }
  const changelog = closeSection(read('CHANGELOG.md'), version, new Date().toISOString().slice(0, 10));
  const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
  for (const file of files.filter(statesVersion)) {
    writeFileSync(join(root, file), writeVersions(file, read(file), version));
  }
  writeFileSync(join(root, 'CHANGELOG.md'), changelog);
  // Later changes of the events are compared with those of this release.
  execFileSync('npx', ['buf', 'build', '--exclude-source-info', '--output', 'proto/baseline.binpb'], {
    cwd: root,
  });
  createTerminal().line(
    `Look at the change, commit it as "release: ${version}", and push the tag v${version}.`,
  );
}

/** Builds and pushes the images of docker-bake.json, on a base that is named by its digest: a tag can be moved. */
function imagesCommand(): CommandLine {
  const [, base] = /^FROM (\S+@sha256:[0-9a-f]{64})$/m.exec(read('scripts/release/Dockerfile')) ?? [];
  if (!base) throw new StepError('scripts/release/Dockerfile names no image by its digest.');
  const revision = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
  const variables = [`VERSION=${currentVersion()}`, `REVISION=${revision}`, `BASE_IMAGE=${base}`];
  return ['env', ...variables, 'docker', 'buildx', 'bake', '--metadata-file', join(folder, 'images.json')];
}

async function makeRelease(): Promise<void> {
  const terminal = createTerminal();
  const helm = await findHelm();
  if ('missing' in helm) throw new StepError(`${helm.missing}. Install Helm 3 or Go.`);
  await terminal.step('make', () =>
    makeFiles({ version: currentVersion(), section: currentVersion(), folder, helm: helm.path }),
  );
  for (const line of readFileSync(join(folder, 'SHA256SUMS'), 'utf8').trim().split('\n')) terminal.line(line);
}

/** Runs the commands one after the other; with `--dry-run` it only prints them. */
function runAll(commands: readonly CommandLine[], options: readonly string[]): void {
  const terminal = createTerminal();
  for (const [command, ...args] of commands) {
    terminal.line([command, ...args].join(' '));
    if (options.includes('--dry-run')) continue;
    const { status, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit' });
    if (status !== 0)
      throw new StepError(
        `${command} failed${error ? `: ${error.message}` : ''}. What came before it is done.`,
      );
  }
}

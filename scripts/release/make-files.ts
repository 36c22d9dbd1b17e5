import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseDocument } from 'yaml';
import { root } from '../local/home.ts';
import { serviceNames } from '../local/services.ts';
import { runCommand } from '../processes/run-command.ts';
import { StepError } from '../terminal/failure.ts';
import { readSection } from './changelog.ts';

/** What docker has reported about the images that it pushed. */
const imageReport = 'images.json';

interface Release {
  readonly version: string;
  /** The section of the changelog that becomes the notes. */
  readonly section: string;
  readonly folder: string;
  readonly helm: string;
}

/**
 * Writes the files of a release into its folder: packages, chart, list of components, notes and checksums. Only the chart
 * depends on what is there: it names the images by the digests that docker has reported.
 */
export async function makeFiles({ version, section, folder, helm }: Release): Promise<void> {
  for (const name of readdirSync(folder))
    if (name !== imageReport) rmSync(join(folder, name), { recursive: true });
  await runCommand({
    command: 'npm',
    args: ['run', '--silent', 'pack', '--', '--pack-destination', folder],
    cwd: root,
    failure: 'The packages could not be packed.',
  });
  moveToPython(folder);
  await packChart(folder, helm);
  writeFileSync(join(folder, `expert-relay-${version}.cdx.json`), await listComponents());
  writeFileSync(
    join(folder, 'NOTES.md'),
    `${readSection(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), section)}\n`,
  );
  const published = readdirSync(folder).filter((name) => !['NOTES.md', 'python', imageReport].includes(name));
  const lines = published.map((name) => `${digestOf(join(folder, name))}  ${name}\n`);
  writeFileSync(join(folder, 'SHA256SUMS'), lines.join(''));
}

/** The workflow publishes what is in the folder `python` to PyPI. */
function moveToPython(folder: string): void {
  const names = readdirSync(folder).filter((name) => /\.(whl|tar\.gz)$/.test(name));
  if (names.length !== 2)
    throw new StepError(
      'A release needs Python 3.10 or later, with venv: the Python package was not packed.',
    );
  mkdirSync(join(folder, 'python'));
  for (const name of names) renameSync(join(folder, name), join(folder, 'python', name));
}

/**
 * All packages that the services, the web app and the published packages run with. `npm sbom --omit dev` also omits those that
 * tests need besides, so npm is given these workspaces without what only their development needs.
 */
async function listComponents(): Promise<string> {
  const temporary = mkdtempSync(join(tmpdir(), 'relay-components-'));
  const folder = join(temporary, 'expert-relay');
  try {
    const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
    const shipped = shippedFolders();
    for (const path of ['', ...shipped]) {
      const { devDependencies, peerDependencies, ...entry } = lock.packages[path];
      // The bundle of the command line contains what it is developed with.
      if (path === 'packages/cli') entry.dependencies = devDependencies;
      lock.packages[path] = entry;
      mkdirSync(join(folder, path), { recursive: true });
      writeFileSync(join(folder, path, 'package.json'), JSON.stringify(entry));
    }
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
    return await runCommand({
      command: 'npm',
      args: [
        ...['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only'],
        ...shipped.flatMap((path) => ['--workspace', path]),
      ],
      cwd: folder,
      failure: 'npm could not list the components.',
    });
  } finally {
    rmSync(temporary, { recursive: true });
  }
}

/** The workspaces that become images or packages. */
const shippedFolders = (): string[] =>
  ['packages', 'services', 'services/dashboard'].flatMap((group) =>
    readdirSync(join(root, group))
      .map((name) => `${group}/${name}`)
      .filter((folder) => folder !== 'packages/testkit' && existsSync(join(root, folder, 'package.json'))),
  );

const digestOf = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');

async function packChart(folder: string, helm: string): Promise<void> {
  const temporary = mkdtempSync(join(tmpdir(), 'relay-chart-'));
  try {
    const chart = join(temporary, 'expert-relay');
    cpSync(join(root, 'charts/expert-relay'), chart, { recursive: true });
    const values = parseDocument(readFileSync(join(chart, 'values.yaml'), 'utf8'));
    const report = join(folder, imageReport);
    const images: Record<string, { 'containerimage.digest': string }> = existsSync(report)
      ? JSON.parse(readFileSync(report, 'utf8'))
      : {};
    for (const service of serviceNames)
      values.setIn(
        ['services', service, 'image', 'digest'],
        images[service]?.['containerimage.digest'] ?? '',
      );
    writeFileSync(join(chart, 'values.yaml'), values.toString({ lineWidth: 0 }));
    await runCommand({
      command: helm,
      args: ['package', chart, '--destination', folder],
      failure: 'helm could not pack the chart.',
    });
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

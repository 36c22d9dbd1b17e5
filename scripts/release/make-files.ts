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
    if (!name.startsWith('image-')) rmSync(join(folder, name), { recursive: true });
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
  const published = readdirSync(folder).filter(
    (name) => !['NOTES.md', 'python'].includes(name) && !name.startsWith('image-'),
  );
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

interface Bom {
  metadata: object;
  components: { 'bom-ref': string }[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

/**
 * All packages that the services, the web app and the published packages run with. `npm sbom --omit dev` leaves out those that
 * tests need as well.
 */
async function listComponents(): Promise<string> {
  const list = await runCommand({
    command: 'npm',
    args: ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only'],
    cwd: root,
    failure: 'npm could not list the components.',
  });
  const bom: Bom = JSON.parse(list);
  const needs = new Map(bom.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
  const kept = new Set<string>();
  const keep = (ref: string): void => {
    if (kept.has(ref)) return;
    kept.add(ref);
    for (const other of needs.get(ref) ?? []) keep(other);
  };
  for (const folder of shippedFolders()) {
    const {
      name,
      version,
      dependencies = {},
    } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    for (const ref of needs.get(`${name}@${version}`) ?? [])
      if (ref.slice(0, ref.lastIndexOf('@')) in dependencies && !ref.startsWith('@expert-relay/')) keep(ref);
  }
  const components = bom.components.filter((component) => kept.has(component['bom-ref']));
  const dependencies = bom.dependencies.filter(({ ref }) => kept.has(ref));
  return `${JSON.stringify({ ...bom, components, dependencies }, undefined, 2)}\n`;
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
    for (const service of serviceNames) {
      const report = join(folder, `image-${service}.json`);
      if (!existsSync(report)) continue;
      const digest = JSON.parse(readFileSync(report, 'utf8'))['containerimage.digest'];
      values.setIn(['services', service, 'image', 'digest'], digest);
    }
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

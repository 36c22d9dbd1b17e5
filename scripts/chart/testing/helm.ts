import { join } from 'node:path';
import { test } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { root } from '../../local/home.ts';
import { run } from './cached-tool.ts';
import { findHelm } from './find-helm.ts';

export const chart = join(root, 'charts/expert-relay');

/** As far as tests look into it. */
export interface Manifest {
  kind: string;
  metadata: { name: string; labels: Record<string, string>; annotations?: Record<string, string> };
  // biome-ignore lint/suspicious/noExplicitAny: every kind has another shape, which Kubernetes' own schemas check.
  spec: any;
  data?: Record<string, string>;
}

const program = await findHelm();
if (!program) {
  const missing = 'helm is neither on the PATH nor can it be compiled, since there is no Go here';
  if (process.env.RELAY_REQUIRE_HELM === 'true') throw new Error(`${missing}. Install Helm 3 or Go.`);
  process.stderr.write(`${missing}: the tests of the chart are skipped. Install Helm 3 or Go to run them.\n`);
}
export const hasHelm = program !== undefined;

/** For tests that need helm. Without it they count as skipped. */
export const withHelm = (hasHelm ? test : test.skip) as typeof test;

/** Runs helm, and answers what it printed; a failure is thrown with what helm says. */
export async function helm(...args: string[]): Promise<string> {
  const limits = { maxBuffer: 64 * 1024 * 1024 };
  return (await run(program ?? 'helm', args, limits)).stdout;
}

const rendered = new Map<string, Promise<string>>();

/** The chart's manifests, as text. Only Helm runs, without a cluster. */
export function render(args: readonly string[]): Promise<string> {
  const key = args.join('\0');
  const text =
    rendered.get(key) ??
    helm('template', 'expert-relay', chart, '--namespace', 'relay', '--kube-version', '1.34.0', ...args);
  rendered.set(key, text);
  return text;
}

export async function manifests(...args: string[]): Promise<Manifest[]> {
  return parseAllDocuments(await render(args))
    .map((document) => document.toJSON() as Manifest | null)
    .filter((manifest) => manifest !== null);
}

export const caseFile = (name: string): string => join(chart, 'ci', `${name}-values.yaml`);

/** The manifests of one of the cases in `ci`, with further arguments. */
export const manifestsOf = (name: string, ...args: string[]): Promise<Manifest[]> =>
  manifests('--values', caseFile(name), ...args);

/** What helm refuses to render, in its own words. */
export async function refusalOf(...args: string[]): Promise<string> {
  return await render(args).then(
    () => 'It was not refused.',
    (error: Error) => error.message,
  );
}

export function find(all: readonly Manifest[], kind: string, name: string): Manifest {
  const found = all.find((one) => one.kind === kind && one.metadata.name === `expert-relay-${name}`);
  if (!found) throw new Error(`There is no ${kind} expert-relay-${name}.`);
  return found;
}

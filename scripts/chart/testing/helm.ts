import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { root } from '../../local/home.ts';
import { findOnPath } from '../../servers/find-program.ts';
import { whyMissing } from '../../servers/find-tool.ts';
import { testUnless } from '../../testing/test-unless.ts';
import { findHelm, run } from './go-tool.ts';

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
export const helmMissing = whyMissing(program);
if (helmMissing !== undefined && process.env.RELAY_REQUIRE_HELM === 'true') {
  throw new Error(`${helmMissing}. Install Helm 3 or Go.`);
}

/** For tests that need helm. Without it they are skipped. */
export const withHelm = testUnless(helmMissing);

const opensslMissing = findOnPath(['openssl']) ? undefined : 'openssl is not on PATH';

/** For tests that need openssl, too. */
export const withOpenssl = testUnless(helmMissing ?? opensslMissing);

/** Runs helm, and returns what it printed; a failure is thrown with what helm says. */
export async function helm(...args: string[]): Promise<string> {
  const limits = { maxBuffer: 64 * 1024 * 1024 };
  return (await run('path' in program ? program.path : '', args, limits)).stdout;
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

// biome-ignore lint/suspicious/noExplicitAny: see Manifest.
export const podOf = ({ kind, spec }: Manifest): any => (kind === 'Pod' ? spec : spec.template.spec);

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { helmMissing, type Manifest, manifests } from '../chart/testing/helm.ts';
import { python, pythonMissing } from '../chart/testing/python.ts';
import { root } from '../local/home.ts';
import { serviceNames } from '../local/services.ts';
import { testUnless } from '../testing/test-unless.ts';

/* The Tiltfile is evaluated as Starlark, with stand-ins for Tilt's functions. Tilt itself is not to be had here. */

const missing = helmMissing ?? pythonMissing;
const withTiltfile = testUnless(missing);

interface Call {
  function: string;
  args: unknown[];
  cmd?: string;
  deps?: string[];
  labels?: string[];
  new_name?: string;
  resource_deps?: string[];
  port_forwards?: string[];
  live_update?: { sync: [string, string] }[];
  dockerfile_contents?: string;
}

const names: readonly string[] = serviceNames;
let calls: Call[];
let rendered: Manifest[];

beforeAll(async () => {
  if (missing !== undefined) return;
  rendered = await manifests('--values', join(root, 'scripts/tilt/values.yaml'));
  const { code, output } = await python(['scripts/tilt/evaluate.py'], JSON.stringify(rendered));
  if (code !== 0) throw new Error(output);
  calls = JSON.parse(output);
});

const callsOf = (name: string): Call[] => calls.filter((call) => call.function === name);
const deployed = (): Manifest[] => callsOf('k8s_yaml').flatMap(({ args }) => args[0] as Manifest[]);
const containersOf = (all: readonly Manifest[], kind: string) =>
  all.filter((one) => one.kind === kind).flatMap(({ spec }) => spec.template.spec.containers);

withTiltfile('every service is built from its bundle, which is copied into its pod on save', () => {
  const builds = callsOf('docker_build');
  expect(builds.map(({ args }) => args)).toEqual(
    expect.arrayContaining(names.map((name) => [`ghcr.io/expert-relay/${name}`, `.tilt/apps/${name}`])),
  );
  expect(builds).toHaveLength(names.length);
  for (const { args, live_update, dockerfile_contents } of builds) {
    expect(live_update).toEqual([{ sync: [args[1], '/app'] }]);
    expect(dockerfile_contents).toContain('WORKDIR /app\n');
  }
  const images = containersOf(deployed(), 'Deployment').map(({ image }) => image.split(':')[0]);
  expect(images).toEqual(expect.arrayContaining(builds.map(({ args }) => args[0])));
});

withTiltfile('only the services may write to their files, and Node restarts them; the migration ends', () => {
  for (const { name, args, securityContext } of containersOf(deployed(), 'Deployment')) {
    const isService = names.includes(name);
    expect(securityContext.readOnlyRootFilesystem).toBe(!isService);
    if (!isService) continue;
    expect(args).toEqual(['--watch', '--watch-preserve-output', `services/${name}/dist/main.js`]);
    expect(existsSync(join(root, `services/${name}/src/main.ts`))).toBe(true);
  }
  expect(containersOf(deployed(), 'Job')).toEqual(containersOf(rendered, 'Job'));
  expect(deployed().filter(({ kind }) => kind === 'Pod')).toEqual([]);
});

withTiltfile('every resource is a workload, and waits for resources that there are', () => {
  const resources = callsOf('k8s_resource');
  const workloads = rendered
    .filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet')
    .map(({ metadata }) => metadata.name);
  expect(resources.map(({ args }) => args[0]).sort()).toEqual(workloads.sort());
  const known = [
    ...resources.map(({ new_name }) => new_name),
    ...callsOf('local_resource').map(({ args }) => args[0]),
  ];
  for (const { resource_deps = [], labels = [] } of calls) {
    for (const needed of resource_deps) expect(known).toContain(needed);
    for (const label of labels) expect(label).toMatch(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/);
  }
  const forwards = resources.flatMap(({ port_forwards = [] }) => port_forwards);
  expect(forwards).toEqual(expect.arrayContaining(['8080:8080', '8090:8083']));
});

withTiltfile('commands and watched folders name what is in this repository', () => {
  const paths = [...callsOf('local'), ...callsOf('local_resource')].flatMap(({ args, cmd, deps = [] }) => [
    ...((cmd ?? String(args[0])).match(/\b(scripts|charts)\/[\w/.-]+/g) ?? []),
    ...deps,
  ]);
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  expect(paths.length).toBeGreaterThan(30);
  // What a pod is asked to run is in its bundle.
  const seed = callsOf('local_resource').find(({ args }) => args[0] === 'seed-user');
  expect(seed?.cmd).toContain(
    'deployment/expert-relay-requests -- node services/requests/dist/admin.js create-user',
  );
});

test('what Tilt keeps is not part of the repository', () => {
  expect(readFileSync(join(root, '.gitignore'), 'utf8')).toContain('.tilt/\n');
});

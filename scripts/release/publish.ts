import { join } from 'node:path';

/** A program of the release with its arguments, as it is typed in the root folder. */
export type CommandLine = readonly [command: string, ...args: string[]];

/** The packages of npm, each in `packages/<name>`. */
export const packages = ['sdk', 'cli', 'adapters'] as const;

const registry = 'ghcr.io/expert-relay';

/** Publishes what `make` has written. The workflow publishes the Python package, since PyPI trusts its identity. */
export const publishCommands = (version: string, folder: string): CommandLine[] => [
  ...packages.map(
    (name): CommandLine => [
      'npm',
      'publish',
      join(folder, `expert-relay-${name}-${version}.tgz`),
      ...['--provenance', '--access', 'public'],
    ],
  ),
  ['helm', 'push', join(folder, `expert-relay-${version}.tgz`), `oci://${registry}/charts`],
  [
    'gh',
    'release',
    'create',
    `v${version}`,
    ...['--verify-tag', '--title', version, '--notes-file', join(folder, 'NOTES.md')],
    ...[...packages.map((name) => `expert-relay-${name}-${version}.tgz`), `expert-relay-${version}.tgz`].map(
      (name) => join(folder, name),
    ),
    ...[`expert-relay-${version}.cdx.json`, 'SHA256SUMS'].map((name) => join(folder, name)),
  ],
];

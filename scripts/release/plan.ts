import { join } from 'node:path';
import { serviceNames } from '../local/services.ts';

/** A program of the release with its arguments, as it is typed in the root folder. */
export type CommandLine = readonly [command: string, ...args: string[]];

/** The packages of npm, each in `packages/<name>`. */
export const packages = ['sdk', 'cli', 'adapters'] as const;

const registry = 'ghcr.io/expert-relay';

/** By digest, since a tag can be moved. `.github/dependabot.yml` proposes newer ones. */
export const readBaseImage = (dockerfile: string): string => {
  const [, image] = /^FROM (\S+@sha256:[0-9a-f]{64})$/m.exec(dockerfile) ?? [];
  if (!image) throw new Error('scripts/release/Dockerfile names no image by its digest.');
  return image;
};

export interface ImagePlan {
  readonly version: string;
  readonly revision: string;
  readonly baseImage: string;
  /** The folder for what docker reports about each image. */
  readonly folder: string;
}

/** Builds and pushes the image of each service, for both kinds of processors. */
export const imageCommands = ({ version, revision, baseImage, folder }: ImagePlan): CommandLine[] =>
  serviceNames.map((service) => [
    'docker',
    'buildx',
    'build',
    ...['--platform', 'linux/amd64,linux/arm64'],
    ...['--target', service, '--tag', `${registry}/${service}:${version}`],
    ...['--build-arg', `VERSION=${version}`, '--build-arg', `REVISION=${revision}`],
    ...['--build-arg', `BASE_IMAGE=${baseImage}`, '--build-arg', `BUILD_IMAGE=${baseImage}`],
    ...['--provenance=mode=max', '--sbom=true', '--push'],
    ...['--metadata-file', join(folder, `image-${service}.json`)],
    '.',
  ]);

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

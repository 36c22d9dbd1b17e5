/** The files that state the version of the product. In each pattern, the first group is the version. */
const statements: readonly { readonly files: RegExp; readonly patterns: readonly RegExp[] }[] = [
  {
    files: /^(packages\/[^/]+\/|services\/[^/]+\/|services\/dashboard\/web\/|test\/[^/]+\/)?package\.json$/,
    patterns: [/^ {2}"version": "([^"]+)"/gm],
  },
  { files: /^packages\/adapters\/package\.json$/, patterns: [/"@expert-relay\/sdk": "([^"]+)"/g] },
  { files: /^clients\/python\/pyproject\.toml$/, patterns: [/^version = "([^"]+)"/gm] },
  { files: /^charts\/expert-relay\/Chart\.yaml$/, patterns: [/^version: (.+)$/gm, /^appVersion: (.+)$/gm] },
  { files: /^docs\/openapi\.yaml$/, patterns: [/\bversion: (\d+\.\d+\.\d+\S*?)(?=\s|,|$)/gm] },
  { files: /^compose\.yaml$/, patterns: [/\$\{RELAY_VERSION:-([^}]+)\}/g] },
  { files: /^Dockerfile$/, patterns: [/\bghcr\.io\/expert-relay\/\S+?:(\d[^\s`]*)/g] },
  {
    files: /^docs\/kubernetes\.md$/,
    patterns: [/\$REGISTRY\/\S+?:(\d[^\s`]*)/g, /\bVERSION=(\d\S*)/g],
  },
];

const lockFile = 'package-lock.json';

export interface StatedVersion {
  readonly file: string;
  readonly version: string;
}

const patternsFor = (file: string): readonly RegExp[] =>
  statements.flatMap(({ files, patterns }) => (files.test(file) ? patterns : []));

/** All versions of the product that the file states. */
export function readVersions(file: string, text: string): StatedVersion[] {
  if (file === lockFile) return ownEntries(JSON.parse(text)).map(({ version }) => ({ file, version }));
  const found = patternsFor(file).map((pattern) => [...text.matchAll(pattern)]);
  // A pattern that finds nothing has become wrong.
  return found.flatMap((matches) =>
    matches.length === 0
      ? [{ file, version: 'missing' }]
      : matches.map(([, version = '']) => ({ file, version })),
  );
}

/** The file with another version. */
export function writeVersions(file: string, text: string, version: string): string {
  if (file === lockFile) {
    const lock = JSON.parse(text);
    lock.version = version;
    for (const entry of ownEntries(lock)) entry.version = version;
    lock.packages['packages/adapters'].peerDependencies['@expert-relay/sdk'] = version;
    return `${JSON.stringify(lock, undefined, 2)}\n`;
  }
  return patternsFor(file).reduce(
    (changed, pattern) =>
      changed.replaceAll(pattern, (match: string, old: string) => {
        const start = match.lastIndexOf(old);
        return match.slice(0, start) + version + match.slice(start + old.length);
      }),
    text,
  );
}

export const statesVersion = (file: string): boolean => file === lockFile || patternsFor(file).length > 0;

/** The entries of this repository's packages in the lock file. */
const ownEntries = (lock: { packages: Record<string, { version: string }> }): { version: string }[] =>
  Object.entries(lock.packages)
    .filter(([path, { version }]) => !path.includes('node_modules/') && version !== undefined)
    .map(([, entry]) => entry);

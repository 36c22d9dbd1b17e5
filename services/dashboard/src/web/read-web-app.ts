import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import { StartupError } from '@expert-relay/kit/lifecycle';

/** The built web app in memory. Files that were not in its folder at the start are never served. */
export interface WebApp {
  /** The page that starts the app, for all paths of the dashboard. */
  readonly page: Buffer;
  /** All other files, by the path at which browsers ask for them. */
  readonly files: ReadonlyMap<string, WebFile>;
}

export interface WebFile {
  readonly content: Buffer;
  readonly compressed: ReadonlyMap<Encoding, Buffer>;
  readonly etag: string;
}

const extensions: Readonly<Record<Encoding, string>> = { br: '.br', gzip: '.gz' };
const startPage = 'index.html';

/** Reads the files that Vite has built, and the compressed files beside them. */
export function readWebApp(folder: string): WebApp {
  const start = join(folder, startPage);
  if (!existsSync(start)) {
    throw new StartupError(
      `The web app is not built: there is no ${start}. Run "npm run build", or set RELAY_WEB_FOLDER to the folder ` +
        'where it is.',
    );
  }
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((name) => basename(name) !== startPage && !/\.(br|gz)$/.test(name));
  return { page: readFileSync(start), files: new Map(names.map((name) => [pathOf(name), readFile(name)])) };

  function readFile(name: string): WebFile {
    const file = join(folder, name);
    const content = readFileSync(file);
    const compressed = Object.entries(extensions)
      .filter(([, extension]) => existsSync(file + extension))
      .map(([encoding, extension]) => [encoding as Encoding, readFileSync(file + extension)] as const);
    const hash = createHash('sha256').update(content).digest('base64url');
    // A weak one, since it is the same for all encodings of the file.
    return { content, compressed: new Map(compressed), etag: `W/"${hash}"` };
  }
}

/** Browsers ask for the icon of a site at its root. */
const pathOf = (name: string): string => (name === 'favicon.ico' ? `/${name}` : `/dashboard/${name}`);

/** How a file may be compressed. */
export type Encoding = 'br' | 'gzip';

/** This order decides when the client accepts several equally. */
const smallestFirst: readonly Encoding[] = ['br', 'gzip'];

/** The best available encoding for a client with this `Accept-Encoding`; undefined for none. */
export function chooseEncoding(
  accepted: string | undefined,
  available: { has(encoding: Encoding): boolean },
): Encoding | undefined {
  const weights = weightsIn(accepted ?? '');
  const weightOf = (encoding: Encoding) => weights.get(encoding) ?? weights.get('*') ?? 0;
  const [best] = smallestFirst
    .filter((encoding) => available.has(encoding) && weightOf(encoding) > 0)
    .sort((one, other) => weightOf(other) - weightOf(one));
  const uncompressedWeight = weights.get('identity') ?? 0;
  return best && weightOf(best) >= uncompressedWeight ? best : undefined;
}

/** `br, gzip;q=0.5` -> br 1, gzip 0.5. A weight that cannot be read is 0. */
function weightsIn(header: string): Map<string, number> {
  return new Map(
    header.split(',').map((entry) => {
      const [name = '', ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase());
      const weight = parameters.find((parameter) => parameter.startsWith('q='));
      return [name, weight === undefined ? 1 : Number.parseFloat(weight.slice(2)) || 0];
    }),
  );
}

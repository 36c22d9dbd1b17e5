import type { Home } from '../local/home.ts';

export type ServerName = 'postgres' | 'redis' | 'nats';

/** One kind of server: where its program is found, how it is started, and how to check that it works. */
export interface ServerKind {
  name: ServerName;
  title: string;
  minimum: string;
  /** The variable that names a server of the user's own. */
  variable: 'DATABASE_URL' | 'REDIS_URL' | 'NATS_URL';
  /** What such a variable looks like. */
  example: string;
  protocols: readonly string[];
  /** Names of the program, best first, and folders beside PATH where systems put it. */
  programs: readonly string[];
  folders: readonly string[];
  debianPackage: string;
  homebrew: string;
  image: string;
  /** The command that runs it in Docker permanently, for users who prefer that. */
  dockerByHand: string;
  /** The signal at which it writes everything out and ends. */
  stopSignal: NodeJS.Signals;
  /** Connects and returns the version; throws an error whose message is one clause. */
  probe(url: URL): Promise<string>;
  url(placement: Placement): string;
  runProgram(placement: Placement, program: FoundProgram): Promise<Launch>;
  /** Arguments of `docker run` before and after the image. */
  runImage(placement: Placement): {
    options: readonly string[];
    command: readonly string[];
    env?: NodeJS.ProcessEnv;
  };
  /** The major version that has made the data, where only that one reads it. */
  majorOfData?(data: string): string | undefined;
}

/** Folder, port and settings of one server of one local run. */
export interface Placement {
  home: Home;
  data: string;
  port: number;
  password: string;
  /** Whether data must survive a power cut. A test's need not. */
  durable: boolean;
}

export interface FoundProgram {
  path: string;
  version: string;
  /** For programs that were unpacked beside their libraries. */
  env?: NodeJS.ProcessEnv;
}

export interface Launch {
  command: string;
  args: readonly string[];
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  uid?: number;
  gid?: number;
  container?: string;
  prepare?(): Promise<void>;
}

/** The first version in a text: `15.14`, `7.0.15`, `2.9.10`. */
export function findVersion(text: string): string | undefined {
  return /\d+(\.\d+)+|\d+(?=(beta|rc|devel))/.exec(text)?.[0];
}

export function isAtLeast(version: string, minimum: string): boolean {
  const [have, want] = [version, minimum].map((text) => text.split('.').map(Number));
  for (const [index, wanted] of (want ?? []).entries()) {
    const found = have?.[index] ?? 0;
    if (found !== wanted) return found > wanted;
  }
  return true;
}

export function majorOf(version: string): string {
  return version.split('.')[0] ?? version;
}

/** A program that can be started as this kind of server. */
export interface Found {
  kind: ServerKind;
  version: string;
  launch(placement: Placement): Promise<Launch>;
}

/** A server to be found. One that has data may need the version that has made it. */
export interface Wanted {
  kind: ServerKind;
  data: string;
}

/** Where servers come from. `say` shows what takes long. */
export type Source = (
  wanted: readonly Wanted[],
  home: Home,
  say: (text: string) => void,
) => Promise<{ found: Found[] /** Why it does not have all of them. */; trouble?: string }>;

/** The first program that can read the data. */
export function pickProgram({ kind, data }: Wanted, programs: readonly FoundProgram[]): Found | undefined {
  const major = kind.majorOfData?.(data);
  const program = programs.find(({ version }) => major === undefined || majorOf(version) === major);
  if (!program) return undefined;
  return { kind, version: program.version, launch: (placement) => kind.runProgram(placement, program) };
}

import type { Home } from '../local/home.ts';

export type ServerName = 'postgres' | 'redis' | 'nats';

/** What the launcher knows of one kind of server: where to look for it, how to start and how to ask it. */
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
  /** The command that runs it in Docker for good, for whoever wants to do that by hand. */
  dockerByHand: string;
  /** Asks it to end, with everything written out. */
  stopSignal: NodeJS.Signals;
  /** Connects, and answers the version; throws an error with a plain message. */
  probe(url: URL): Promise<string>;
  url(place: Place): string;
  /** What to run when the program is at hand. */
  runProgram(place: Place, program: FoundProgram): Promise<Launch>;
  /** What `docker run` is to be told before and after the image. */
  runImage(place: Place): { options: readonly string[]; command: readonly string[]; env?: NodeJS.ProcessEnv };
  /** The only major version that reads the data there is, where others do not. */
  majorOfData?(data: string): string | undefined;
}

/** Where one server of one local run lives. */
export interface Place {
  home: Home;
  data: string;
  port: number;
  password: string;
  /** Data that outlives the run deserves `fsync`; a test's does not. */
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

import type { Home } from '../local/home.ts';
import type { Program } from '../processes/program.ts';

/** A program that is found on this machine, or else fetched. */
export interface ProgramKind {
  title: string;
  minimum: string;
  /** Names of the program, best first. */
  programs: readonly string[];
  /** Programs that must be in the same folder. */
  beside?: readonly string[];
  /** Folders beside PATH where systems put it. */
  folders: readonly string[];
  /** Debian's package. */
  debian: string;
}

/** One kind of server: where its program is found, how it is started, and how to check that it works. */
export interface ServerKind extends ProgramKind {
  name: 'postgres' | 'redis' | 'nats';
  /** The variable that names a server of the user's own. */
  variable: 'DATABASE_URL' | 'REDIS_URL' | 'NATS_URL';
  /** What such a variable looks like. */
  example: string;
  protocols: readonly string[];
  /** Homebrew's formula. */
  homebrew: string;
  /** The signal at which it writes everything out and ends. */
  stopSignal: NodeJS.Signals;
  /** Connects and returns the version; throws an error whose message is one clause. */
  probe(url: URL): Promise<string>;
  url(placement: Placement): string;
  /** What is sent to a server of ours, and the answer of one that is ready. It needs no client library. */
  greeting: { ask: string; ready: RegExp };
  runProgram(placement: Placement, program: FoundProgram): Launch;
  container: {
    image: string;
    port: number;
    dataFolder: string;
    command(placement: Placement): readonly string[];
    /** Further options of `docker run`, and the variables that they name. */
    options?: readonly string[];
    env?(placement: Placement): NodeJS.ProcessEnv;
  };
  /** The major version that has made the data, where only that one reads it. */
  majorOfData?(data: string): string | undefined;
}

/** One server of one local run: its folder, port and settings. */
export interface Placement {
  kind: ServerKind;
  home: Home;
  data: string;
  port: number;
  password: string;
  /** Whether data must survive a power cut. A test's need not. */
  durable: boolean;
  /** Whether it serves one run of the services alone, which should cost little while nothing happens. */
  isLean?: boolean;
}

export interface FoundProgram {
  path: string;
  version: string;
  /** For programs that were unpacked beside their libraries. */
  env?: NodeJS.ProcessEnv | undefined;
}

export type Launch = Pick<Program, 'command' | 'args'> &
  Partial<Pick<Program, 'env' | 'cwd' | 'uid' | 'gid' | 'container' | 'prepare'>>;

/** A server that can be started. */
export interface Found {
  version: string;
  launch: Launch;
}

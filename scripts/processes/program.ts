/** A process that is to run until the end, started again when it dies. */
export interface Program {
  name: string;
  tier: number;
  command: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  cwd: string;
  uid?: number;
  gid?: number;
  logFile: string;
  stopSignal: NodeJS.Signals;
  container?: string;
  /** Before each start: clears what a killed predecessor left behind. */
  prepare?(): Promise<void>;
  /** Why it does not work yet; `undefined` once it does. */
  notReady(): Promise<string | undefined>;
}

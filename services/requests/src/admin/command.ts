import type { PrismaClient } from '@expert-relay/db';

/** Writes to standard output, and waits until it was accepted. */
export type Write = (text: string) => Promise<void>;

export interface AdminSettings {
  /** The address of the relay, for links. */
  readonly publicUrl: string;
}

export interface Command {
  readonly usage: string;
  /** Reads the arguments, and throws a `StartupError` before anything is touched; returns what is to be done. */
  read(
    args: readonly string[],
  ): (prisma: PrismaClient, write: Write, settings: AdminSettings) => Promise<void>;
}

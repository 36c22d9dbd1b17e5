import type { PrismaClient } from '@expert-relay/db';

/** Writes to standard output, and waits while nobody takes it. */
export type Write = (text: string) => Promise<void>;

export interface Command {
  readonly usage: string;
  /** Reads what was typed, and throws a `StartupError` before anything is touched; gives what is to be done. */
  read(args: readonly string[]): (prisma: PrismaClient, write: Write) => Promise<void>;
}

import type { Memory } from '../memory.ts';

/** What processes that share a memory know of a conversation. */
export type Facts = Memory;

/** What the answers to forms amount to, for all processes: docs/crypto.md, "What another process must know". */
export interface Outcomes {
  /** The message whose decision about this form was returned to a program. */
  decision(of: string): Promise<string | undefined>;
  /** Whether some process has reported a contradiction. Only a decline counts then. */
  isContradicted(of: string): Promise<boolean>;
  /** The message that decides for all processes. Undefined after a contradiction that it does not end. */
  returnDecision(of: string, messageId: string, isDecline: boolean): Promise<string | undefined>;
  /** Has no effect after a decision. */
  contradict(of: string, messageIds: readonly string[]): Promise<void>;
}

export function createOutcomes(facts: Facts): Outcomes {
  /** The message that decided, or those that contradict each other: one value, so that processes that find one of the two each agree. */
  const read = async (of: string): Promise<string | readonly string[] | undefined> => {
    const outcome = await facts.get(`outcome:${of}`);
    return outcome && JSON.parse(outcome);
  };
  const isContradicted = async (of: string) => Array.isArray(await read(of));
  async function decision(of: string): Promise<string | undefined> {
    const outcome = await read(of);
    return typeof outcome === 'string' ? outcome : await facts.get(`declined:${of}`);
  }
  return {
    decision,
    isContradicted,
    async returnDecision(of, messageId, isDecline) {
      await facts.remember(`outcome:${of}`, JSON.stringify(messageId));
      if (isDecline && (await isContradicted(of))) await facts.remember(`declined:${of}`, messageId);
      return await decision(of);
    },
    contradict: async (of, messageIds) =>
      void (await facts.remember(`outcome:${of}`, JSON.stringify(messageIds))),
  };
}

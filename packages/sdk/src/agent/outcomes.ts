import type { Values } from '../store.ts';

/** What processes that share a store know of a conversation. */
export type Facts = Values;

/** The message that decided about a form, or those that contradict each other: one value, so that processes that find one of the two each agree. */
export const outcomeName = (of: string): string => `outcome:${of}`;
/** The decline that ends a contradiction. */
export const declineName = (of: string): string => `declined:${of}`;

const read = async (facts: Facts, of: string): Promise<unknown> =>
  JSON.parse((await facts.get(outcomeName(of))) ?? 'null');

/** Whether some process has reported a contradiction. Only a decline counts then. */
export const hasContradiction = async (facts: Facts, of: string): Promise<boolean> =>
  Array.isArray(await read(facts, of));

/** The message whose decision about this form was returned to a program. */
export async function storedDecision(facts: Facts, of: string): Promise<string | undefined> {
  const outcome = await read(facts, of);
  return typeof outcome === 'string' ? outcome : await facts.get(declineName(of));
}

import { z } from 'zod';

const problem = z.object({ title: z.string(), detail: z.string().optional() });
const longest = 500;

/** What the relay says of an error, in quotation marks and on one line; empty when it says nothing. */
export function quoteProblem(status: number, body: unknown): string {
  const { data } = problem.safeParse(body);
  if (!data) return '';
  const said = `${data.title}. ${data.detail ?? ''}`
    // Whoever reads it may be a terminal, or a model.
    .replaceAll(/["\s\p{C}\p{Z}]+/gu, ' ')
    .slice(0, longest)
    .trim();
  return `The relay says: "${said}" (HTTP ${status})`;
}

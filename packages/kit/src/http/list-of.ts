import { z } from 'zod';

/** An answer names at most this many errors. */
export const maxFieldErrors = 20;

/**
 * A list in a body. Its length is checked before its entries, and no entry is checked once there are more
 * errors than an answer names, so a long list of wrong entries costs no more than a short one.
 */
export function listOf<T>(
  entry: z.ZodType<T>,
  { least = 0, most, error }: { least?: number; most: number; error: string },
) {
  return z
    .array(z.unknown(), { error })
    .min(least, error)
    .max(most, error)
    .transform((values, context): T[] => {
      const entries: T[] = [];
      for (const [index, value] of values.entries()) {
        const result = entry.safeParse(value, { reportInput: true });
        if (result.success) entries.push(result.data);
        for (const issue of result.error?.issues ?? []) {
          // `continue` lets the other members of the body be checked as well.
          const raised = { ...issue, path: [index, ...issue.path], continue: true };
          context.issues.push(raised as z.core.$ZodRawIssue);
        }
        if (context.issues.length > maxFieldErrors) break;
      }
      return entries;
    });
}

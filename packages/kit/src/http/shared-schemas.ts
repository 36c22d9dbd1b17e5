import * as z from 'zod';

/** An optional member of a body. */
export function optionalTextUpTo(most: number) {
  const expected = `Expected 1 to ${most} characters.`;
  return z.string({ error: 'Expected a text.' }).min(1, expected).max(most, expected).nullish();
}

/** A time of this millennium, as the UTC text that Postgres takes: it refuses the year 0, and offsets above 15:59. */
export const timeSchema = (error: string) =>
  z.iso
    .datetime({ offset: true, error })
    .regex(/^2/, error)
    .transform((text) => new Date(text).toISOString());

/** Each sequence of bytes has only one such text: signatures cover the text. */
export const base64Schema = z
  .string({ error: 'Expected a text.' })
  .refine((value) => Buffer.from(value, 'base64').toString('base64') === value, {
    error: 'Expected canonical base64 (standard alphabet, padded).',
  });

const expectedLimit = 'Expected a whole number from 1 to 200.';

/** The query parameters of a list that has pages: `after` is the `next` of the page before. */
export const pageSchema = <Cursor>({
  parseCursor,
  limit,
}: {
  parseCursor: (text: string) => Cursor | undefined;
  /** Of a page, if the call has none. */
  limit: number;
}) => ({
  after: z
    .string()
    .transform((text, context): Cursor => {
      const cursor = parseCursor(text);
      if (cursor) return cursor;
      context.addIssue('Expected the `next` of the page before.');
      return z.NEVER;
    })
    .optional(),
  limit: z
    .string()
    .regex(/^\d{1,3}$/, expectedLimit)
    .transform(Number)
    .pipe(z.number().min(1, expectedLimit).max(200, expectedLimit))
    .default(limit),
});

const expectedGrace = 'Expected a whole number of seconds from 0 to 2592000 (30 days).';

/** The body of a call that replaces a secret: how long the old one still counts. */
export const rotationSchema = z.object({
  graceSeconds: z
    .int(expectedGrace)
    .min(0, expectedGrace)
    .max(2_592_000, expectedGrace)
    .nullish()
    .transform((value) => value ?? 86_400),
});

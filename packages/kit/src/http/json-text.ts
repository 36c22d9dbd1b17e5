import * as z from 'zod';
import { parseJson } from './parse-json.ts';

/** A text with one JSON object, which is stored and returned unchanged. `schema` checks only what the relay must know. */
export function jsonText<T>({ most, schema, error }: { most: number; schema: z.ZodType<T>; error: string }) {
  return z
    .string({ error: 'Expected JSON as a text.' })
    .refine((text) => Buffer.byteLength(text) <= most, {
      error: `Expected at most ${most.toLocaleString('en')} bytes.`,
      abort: true,
    })
    .refine((text) => schema.safeParse(parsed(text)).success, { error });
}

function parsed(text: string): unknown {
  try {
    return parseJson(Buffer.from(text));
  } catch {
    return undefined;
  }
}

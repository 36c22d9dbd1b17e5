import { test } from '@jest/globals';

/** What `test` of Jest offers, as far as conditional tests need it. */
export interface ConditionalTest {
  (title: string, work: Parameters<typeof test>[1], timeout?: number): void;
  readonly each: (typeof test)['each'];
}

const { skip } = test;

/**
 * `test`; or, where something is missing, tests that are skipped and whose titles say what. scripts/jest/skipped.js lists them at the
 * end of the run. All tests that run only on some machines are made by this function.
 */
export function testUnless(missing: string | undefined): ConditionalTest {
  if (missing === undefined) return test;
  const end = ` (skipped: ${missing.replace(/\s+/g, ' ')})`;
  const skipped = (title: string, work: Parameters<typeof test>[1]) => skip(`${title}${end}`, work);
  const each = (table: readonly unknown[]) => {
    const skipEach = skip.each(table);
    return (title: string, work: () => void) => skipEach(`${title}${end.replaceAll('%', '%%')}`, work);
  };
  return Object.assign(skipped, { each: each as ConditionalTest['each'] });
}

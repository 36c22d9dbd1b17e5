import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** The violations of WCAG 2.2 AA that axe finds. Each line has the rule, the element and the problem. */
export async function checkAccessibility(page: Page, runOnly: readonly string[] = rules): Promise<string[]> {
  // Evaluated through the debugger, to which the content security policy of the page does not apply.
  await page.evaluate(source);
  const violations = await page.evaluate<
    Violation[]
  >(`axe.run({ runOnly: ${JSON.stringify(runOnly)} }).then((found) =>
    found.violations.map(({ id, nodes }) => ({
      id, nodes: nodes.map(({ target, failureSummary }) => [String(target), failureSummary]) })))`);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(([target, summary = '']) => `${id}: ${target}: ${summary.replaceAll('\n', ' ')}`),
  );
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly (readonly string[])[];
}

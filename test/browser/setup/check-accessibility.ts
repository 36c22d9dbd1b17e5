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
  const found = violations.flatMap(({ id, nodes }) =>
    nodes.map(([target, summary = '']) => `${id}: ${target}: ${summary.replaceAll('\n', ' ')}`),
  );
  return [...found, ...(await findFaintPlaceholders(page))];
}

/** Placeholders with a contrast below 4.5:1, which axe does not measure. */
const findFaintPlaceholders = (page: Page): Promise<string[]> =>
  page.evaluate(`(() => {
    const light = (color) => {
      const [red, green, blue] = color.match(/[\\d.]+/g).map((part) => {
        const share = part / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    return [...document.querySelectorAll('[placeholder]')].flatMap((field) => {
      const { color } = getComputedStyle(field, '::placeholder');
      const both = [light(color), light(getComputedStyle(field).backgroundColor)];
      const contrast = (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05);
      return contrast < 4.5 ? 'placeholder: ' + contrast.toFixed(1) + ':1: ' + field.placeholder : [];
    });
  })()`);

interface Violation {
  readonly id: string;
  readonly nodes: readonly (readonly string[])[];
}

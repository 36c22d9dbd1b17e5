import type { Page } from 'playwright-core';

const size = ({ width, height }: { width: number; height: number }) => `${width}x${height}`;

/** Elements that need horizontal scrolling. Code and tables may scroll in a box that the keyboard can reach. */
export const findSidewaysScrolling = (page: Page): Promise<string[]> =>
  page.evaluate(`[document.scrollingElement, ...document.querySelectorAll('body *')]
    .filter((element) => element === document.scrollingElement ||
      (/auto|scroll/.test(getComputedStyle(element).overflowX) && !element.hasAttribute('tabindex')))
    .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1)
    .map(({ outerHTML, scrollWidth, clientWidth }) =>
      'scrolls sideways: ' + scrollWidth + ' > ' + clientWidth + ' px: ' + outerHTML.slice(0, 120))`);

/** Buttons, links and fields that cannot be scrolled to and clicked, are wider than their place, or whose text is cut off. */
const findUnreachable = (page: Page): Promise<string[]> =>
  page.evaluate(`(() => {
    const container = document.querySelector('dialog[open]') ?? document.body;
    const found = [];
    for (const control of container.querySelectorAll('a[href], button, input, textarea, summary')) {
      if (!control.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
      if (control.matches('[href="#main"], .visually-hidden, .visually-hidden *')) continue;
      control.scrollIntoView({ block: 'center', inline: 'nearest' });
      const [{ left, top, width, height }] = control.getClientRects();
      const [x, y] = [left + width / 2, top + Math.min(height, innerHeight) / 2];
      const hit = document.elementFromPoint(x, y);
      if (left < -1 || left + width > innerWidth + 1 || !(control.contains(hit) || hit?.contains(control)))
        found.push('cannot be reached: ' + control.outerHTML.slice(0, 160));
      const place = control.parentElement.getBoundingClientRect();
      if (control.matches('input, textarea, select') && place.width > 0 && left + width > place.right + 1)
        found.push('it is wider than its place: ' + control.outerHTML.slice(0, 160));
      if (control.matches('button, summary') && control.scrollWidth > control.clientWidth + 1)
        found.push('its text is cut off: ' + control.outerHTML.slice(0, 160));
    }
    return found;
  })()`);

/** Controls that are too low for a finger on a touch screen. Links and times in a text are as high as its lines. */
const findSmallTargets = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('a[href], button, input:not([type=radio], [type=checkbox]), textarea, summary')]
    .filter((control) => control.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
    .filter((control) => !control.matches('[href="#main"], p a, [dir=auto] a, button:has(> time)'))
    .filter((control) => control.getBoundingClientRect().height < 43.5)
    .map((control) => 'only ' + control.getBoundingClientRect().height + ' px high: ' + control.outerHTML.slice(0, 160))`);

/** The problems of the layout of a page on phones, and on a small screen at 200 %. */
export async function checkLayout(page: Page): Promise<string[]> {
  const before = page.viewportSize();
  const found: string[] = [];
  for (const viewport of [
    { width: 390, height: 844 },
    { width: 360, height: 640 },
    // 1280 x 900 at 200 %.
    { width: 640, height: 450 },
  ]) {
    await page.setViewportSize(viewport);
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    const problems = [
      ...(await findSidewaysScrolling(page)),
      ...(await findUnreachable(page)),
      ...(await findSmallTargets(page)),
    ];
    found.push(...problems.map((problem) => `${size(viewport)}: ${problem}`));
  }
  if (before) await page.setViewportSize(before);
  return found;
}

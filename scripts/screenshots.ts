import { mkdirSync } from 'node:fs';
import { register } from 'node:module';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { root } from './local/home.ts';
import { withTemporaryRun } from './local/with-run.ts';
import { openServers } from './servers/open-servers.ts';
import { buildProduct } from './steps/build.ts';
import { UsageError } from './terminal/failure.ts';
import { createTerminal } from './terminal/terminal.ts';

const folder = join(root, 'test/browser/screenshots');
const docsFolder = join(root, 'docs/screenshots');
const sizes = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
];

/** `npm run screenshots`: all pages of the web app in all states, those walks that the arguments name, or (`docs`) the pictures of README. */
export async function screenshots(names: string[]): Promise<void> {
  const isForDocs = names.length === 1 && names[0] === 'docs';
  const terminal = createTerminal();
  await withTemporaryRun('screenshots', terminal, async (run) => {
    await buildProduct(terminal);
    const servers = await terminal.step('servers', (detail) => openServers(run, { durable: false, detail }));
    Object.assign(process.env, servers);
    // Only now: what they import was just generated. As in tests, it is the sources of every workspace.
    register('./jest/resolve.mjs', import.meta.url);
    const { openProduct } = await import('../test/browser/setup/open-product.ts');
    const { walks } = await import('../test/browser/setup/walk-pages.ts');
    const unknown = isForDocs ? undefined : names.find((name) => !Object.hasOwn(walks, name));
    if (unknown)
      throw new UsageError(`There is no walk "${unknown}", only: ${Object.keys(walks).join(', ')}`);
    mkdirSync(folder, { recursive: true });
    await using product = await openProduct();
    if (isForDocs) {
      const { takeDocsPictures } = await import('../test/browser/setup/docs-pictures.ts');
      await terminal.step('pictures', () => takeDocsPictures(product, docsFolder));
      return;
    }
    for (const [name, walk] of Object.entries(walks)) {
      if (names.length > 0 && !names.includes(name)) continue;
      await terminal.step(name, (progress) =>
        walk(product, async (state, page) => {
          progress(state);
          await takeScreenshots(page, state);
        }),
      );
    }
  });
  terminal.line(`\n  The screenshots are in ${isForDocs ? docsFolder : folder}\n`);
}

async function takeScreenshots(page: Page, state: string): Promise<void> {
  const before = page.viewportSize();
  // Nothing is shown as under the pointer.
  await page.mouse.move(0, 0);
  for (const size of sizes) {
    await page.setViewportSize(size);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
      await page.screenshot({ path: join(folder, `${state}-${size.width}-${colorScheme}.png`) });
    }
  }
  if (before) await page.setViewportSize(before);
}

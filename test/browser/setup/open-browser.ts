import { type Browser, chromium } from 'playwright-core';
import { findBrowser } from './find-browser.ts';

const args = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  // Chromium's own sandbox refuses to work for root.
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
];

/** A real browser without a window, which asks nothing of the world outside. */
export async function openBrowser(flags: readonly string[] = []): Promise<Browser> {
  const executablePath = await findBrowser();
  return chromium.launch({ executablePath, args: [...args, ...flags], timeout: 60_000 });
}

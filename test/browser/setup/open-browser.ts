import { type Browser, chromium } from 'playwright-core';
import { findBrowser } from './find-browser.ts';

const args = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  // The sandbox of Chromium does not work for root.
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
];

/** Starts a headless Chromium that makes no calls of its own to the internet. */
export async function openBrowser(flags: readonly string[] = []): Promise<Browser> {
  const executablePath = await findBrowser();
  return chromium.launch({ executablePath, args: [...args, ...flags], timeout: 60_000 });
}

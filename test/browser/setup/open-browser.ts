import { type Browser, chromium } from 'playwright-core';
import { findTool, requireTool } from '../../../scripts/servers/find-tool.ts';
import { chromium as chromiumProgram } from '../../tools.ts';

/** Features that Playwright 1.65 disables. Its list must be repeated, since Chromium obeys only the last `--disable-features`. */
const disabledByPlaywright = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
];

/**
 * Web pages that draw suggestions below the address bar: loading them takes more CPU time than most pages of the dashboard. And a
 * process for a page that may be opened next.
 */
const unused = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'SpareRendererForSitePerProcess'];

const args = [
  `--disable-features=${[...disabledByPlaywright, ...unused].join(',')}`,
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  // Drawing without a graphics card takes less CPU time in the browser's own processes.
  '--disable-gpu',
];

/** The limit of each step of a page. It is for what hangs: a busy machine may stall for many seconds. */
const stepTimeoutMs = 120_000;

/** Starts a headless Chromium that makes no calls of its own to the internet. */
export async function openBrowser(flags: readonly string[] = []): Promise<Browser> {
  const program = requireTool(await findTool(chromiumProgram));
  const browser = await chromium.launch({
    executablePath: program.path,
    env: { ...process.env, ...program.env } as Record<string, string>,
    args: [...args, ...flags],
    timeout: stepTimeoutMs,
  });
  browser.on('context', (context) => {
    context.setDefaultTimeout(stepTimeoutMs);
    // The tests' compiler names functions by this one, also in code that runs in the page.
    void context.addInitScript('globalThis.__name = (value) => value');
  });
  return browser;
}

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Constellation, startConstellation } from '@expert-relay/constellation';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { browserTest as test } from './setup/browser-test.ts';
import { openBrowser } from './setup/open-browser.ts';

/* What the content security policy of the dashboard allows, tested with an empty page. */

let folder: string;
let browser: Browser;
let relay: Constellation;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'relay-page-'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Expert Relay</title>');
  writeFileSync(join(folder, 'service-worker.js'), '');
  browser = await openBrowser();
  relay = await startConstellation({ own: { dashboard: { RELAY_WEB_FOLDER: folder } } });
  // Chromium may have to be installed first.
}, 600_000);

afterAll(async () => {
  await browser.close();
  await relay.stop();
  rmSync(folder, { recursive: true });
});

describe.each(['127.0.0.1', 'localhost'])('a page that is opened at %s', (host) => {
  let context: BrowserContext;
  let page: Page;

  beforeAll(async () => {
    context = await browser.newContext({ baseURL: `http://${host}:${new URL(relay.gatewayUrl).port}` });
    await context.request.post('/auth/dev', { form: { user: 'ada' }, maxRedirects: 0 });
    page = await context.newPage();
    await page.goto('/dashboard/requests');
  });
  afterAll(() => context.close());

  test('can read events from the hub', async () => {
    const opened = await page.evaluate(async () => {
      const read = async (answer: Response) => (await answer.json()) as Record<string, string>;
      const { userId, hubUrl } = await read(await fetch('/api/me'));
      const topic = `/svc/providers/${userId}`;
      const { token } = await read(
        await fetch('/api/stream-token', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ topics: [topic] }),
        }),
      );
      const stream = await fetch(`${hubUrl}/?topic=${encodeURIComponent(topic)}`, {
        headers: { authorization: `Bearer ${token}` },
      });
      const reader = stream.body?.getReader();
      let text = '';
      for (const decoder = new TextDecoder(); !text.includes('retry:'); ) {
        const { value, done } = (await reader?.read()) ?? { done: true };
        if (done) break;
        text += decoder.decode(value, { stream: true });
      }
      await reader?.cancel();
      return { status: stream.status, text };
    });
    expect(opened).toEqual({ status: 200, text: expect.stringContaining('retry:') });
  });

  test('can register the service worker only through the trusted types policy of the app', async () => {
    const outcomes = await page.evaluate(async () => {
      const attempt = async (action: () => unknown) => {
        try {
          return String(await action());
        } catch (error) {
          return (error as Error).name;
        }
      };
      const { trustedTypes, navigator } = globalThis as unknown as {
        trustedTypes: {
          createPolicy(name: string, rules: object): { createScriptURL(url: string): string };
        };
        navigator: { serviceWorker: { register(url: string): Promise<{ scope: string }> } };
      };
      const register = async (url: string) =>
        new URL((await navigator.serviceWorker.register(url)).scope).pathname;
      const rules = { createScriptURL: (url: string) => url };
      return {
        plain: await attempt(() => register('/dashboard/service-worker.js')),
        other: await attempt(() => trustedTypes.createPolicy('other', rules)),
        own: await attempt(() =>
          register(
            trustedTypes.createPolicy('expert-relay', rules).createScriptURL('/dashboard/service-worker.js'),
          ),
        ),
      };
    });
    expect(outcomes).toEqual({ plain: 'TypeError', other: 'TypeError', own: '/dashboard/' });
  });
});

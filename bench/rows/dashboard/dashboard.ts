import { setTimeout as pause } from 'node:timers/promises';
import type { Relay } from '@expert-relay/sdk';
import type { Expert } from '@expert-relay/sdk/expert';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { openBrowser } from '../../../test/browser/setup/open-browser.ts';
import type { Environment } from '../../environment/environment.ts';
import type { Line } from '../../measure/table.ts';
import { seedInbox } from '../../requests/seed.ts';
import type { Row } from '../row.ts';
import { measureApproval, measureKeyboard } from './answering.ts';
import { describe, toLine } from './to-line.ts';

/** Milliseconds. */
const goals = { visible: 150, opening: 300, interactive: 1_000, frame: 50 };
const submits = 25;
/** A page reads at most once a second: what comes sooner waits for that. */
const betweenSubmitsMs = 1_200;
const messagesInLong = 200;
const listed = 50_000;
const slowdown = 4;

/** The experts' pages in Chromium: the time until a request is visible, a conversation readable, the inbox usable. */
export const dashboard: Row = {
  name: 'dashboard',
  onlyByName: true,
  async measure(environment, { progress, rounds }) {
    const url = await start(environment);
    const browser = await openBrowser();
    try {
      const context = await signIn(browser, url);
      const page = await context.newPage();
      progress('submit to visible');
      const visible = await measureVisible(environment, page, url);
      progress(`a conversation of ${messagesInLong} messages`);
      const sides = await openSides(environment, page, url);
      const opening = await measureOpening(sides, page, rounds);
      progress('answers');
      const answering = { ...sides, page, url, rounds, consumerKey: environment.user.consumerKey };
      const answers = [...(await measureApproval(answering)), ...(await measureKeyboard(answering))];
      sides.relay.stop();
      sides.expert.stop();
      progress('inbox on a slow processor');
      const interactive = await measureInteractive(browser, context, url, rounds);
      progress(`a list of ${listed.toLocaleString('en')}`);
      const frames = await measureScrolling(environment, page, url);
      return [...visible, ...opening, ...answers, ...interactive, frames];
    } finally {
      await browser.close();
    }
  },
};

async function start(environment: Environment): Promise<string> {
  for (const name of ['requests', 'messages', 'hub', 'notifier'] as const) await environment.service(name);
  await environment.service('dashboard', { env: { RELAY_DEV_LOGIN: 'true', NODE_ENV: 'development' } });
  const gateway = await environment.service('gateway');
  return `http://127.0.0.1:${gateway.port}`;
}

async function signIn(browser: Browser, url: string): Promise<BrowserContext> {
  const context = await browser.newContext({ baseURL: url, viewport: { width: 1440, height: 900 } });
  await context.request.post('/auth/dev', { form: { user: 'dev' }, maxRedirects: 0 });
  return context;
}

/** Baseline: the event of the same request at a client of the SDK in this process. */
async function measureVisible({ user }: Environment, page: Page, url: string): Promise<Line[]> {
  const { createExpert } = await import('@expert-relay/sdk/expert');
  const expert = createExpert({ url, apiKey: user.providerKey });
  const arrivals = new Map<string, number>();
  const listening = (async () => {
    for await (const event of expert.events()) {
      if (event.type === 'new_request') arrivals.set(event.requestId, Date.now());
    }
  })();
  await page.goto('/dashboard/requests');
  await page.evaluate(`{
    const seen = (globalThis.seen = {});
    const check = () => {
      for (const row of document.querySelectorAll('[data-request]')) {
        const [name] = /question-\\d+/.exec(row.textContent) ?? [];
        if (name) seen[name] ??= Date.now();
      }
      requestAnimationFrame(check);
    };
    check();
  }`);
  const [inPage, atSdk]: [number[], number[]] = [[], []];
  for (let at = 0; at < submits; at++) {
    await pause(betweenSubmitsMs);
    const question = `question-${at}`;
    const startedAt = Date.now();
    const answer = await fetch(`${url}/api/v1/help`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ apiKey: user.consumerKey, messages: [], question, plaintext: question }),
    });
    if (!answer.ok) throw new Error(`The submit was answered ${answer.status}.`);
    const seenAt = await waitForNumber(page, `globalThis.seen['${question}']`);
    const { requestId } = (await answer.json()) as { requestId: string };
    while (!arrivals.has(requestId)) await new Promise((resolve) => setTimeout(resolve, 5));
    // The first ones are not counted, since they wait for streams to open.
    if (at < 5) continue;
    inPage.push(seenAt - startedAt);
    atSdk.push((arrivals.get(requestId) ?? Number.NaN) - startedAt);
  }
  expert.stop();
  await listening.catch(() => {});
  return [
    toLine('submit to visible in the inbox', inPage, goals.visible, 0.95, atSdk),
    { title: '  / the same event at the SDK in Node', note: describe(atSdk) },
  ];
}

interface Sides {
  readonly relay: Relay;
  readonly expert: Expert;
  /** Opens the expert's key in the page. */
  readonly code: string;
}

/** An agent, and the expert of the page, both in this process. */
async function openSides({ user }: Environment, page: Page, url: string): Promise<Sides> {
  // Imported here because the package is not built yet when this file is loaded.
  const { createRelay } = await import('@expert-relay/sdk');
  const { createExpert } = await import('@expert-relay/sdk/expert');
  const { makeRecoveryCode, makeRoot, sealVault } = await import('@expert-relay/sdk/crypto');
  const [root, code] = [makeRoot(), await makeRecoveryCode()];
  await page.request.put('/api/vault', { data: { vault: await sealVault(root, code) } });
  const relay = createRelay({ url, apiKey: user.consumerKey });
  return { relay, expert: createExpert({ url, apiKey: user.providerKey, root }), code };
}

/** Baseline: a conversation of one message. Afterwards the key is open in the browser. */
async function measureOpening({ relay, expert, code }: Sides, page: Page, rounds: number): Promise<Line[]> {
  const make = async (count: number) => {
    const conversation = await relay.ask({ question: `A conversation of ${count}` });
    const request = await expert.request(conversation.requestId);
    await request.pickUp();
    for (let at = 1; at <= count; at++) await request.answer(`Answer ${at} of ${count}.`);
    return { requestId: conversation.requestId, last: `Answer ${count} of ${count}.` };
  };
  const [long, short] = [await make(messagesInLong), await make(1)];
  await page.goto(`/dashboard/requests/${short.requestId}`);
  await page.getByRole('textbox', { name: 'Recovery code' }).fill(code);
  await page.getByRole('button', { name: 'Open my key' }).and(page.locator(':not([data-guarded])')).click();
  await page.getByText(short.last).waitFor();

  const open = async ({ requestId, last }: typeof long) => {
    await page.goto('/dashboard/requests?filter=answered');
    await page.locator(`[data-request="${requestId}"]`).waitFor();
    return page.evaluate<number>(`new Promise((resolve) => {
      const startedAt = performance.now();
      document.querySelector('[data-request="${requestId}"]').click();
      const check = () => {
        const pane = document.querySelector('section[aria-label="Conversation"]');
        if (pane?.textContent.includes(${JSON.stringify(last)})) resolve(performance.now() - startedAt);
        else requestAnimationFrame(check);
      };
      check();
    })`);
  };
  const [longs, shorts]: [number[], number[]] = [[], []];
  for (let round = 0; round <= rounds * 3; round++) {
    const [one, other] = [await open(long), await open(short)];
    if (round === 0) continue;
    longs.push(one);
    shorts.push(other);
  }
  return [
    toLine(`opening ${messagesInLong} encrypted messages`, longs, goals.opening, 0.5, shorts),
    { title: '  / a conversation of one message', note: describe(shorts) },
  ];
}

/** Baseline: the sign-in page, which has no script, on the same slowed processor. */
async function measureInteractive(
  browser: Browser,
  context: BrowserContext,
  url: string,
  rounds: number,
): Promise<Line[]> {
  const signedOut = await browser.newContext({ baseURL: url });
  const [inbox, signInPage]: [number[], number[]] = [[], []];
  for (let round = 0; round <= rounds * 2; round++) {
    const one = await load(context, '/dashboard/requests', '[data-request]');
    const other = await load(signedOut, '/auth/login', 'main');
    if (round === 0) continue;
    inbox.push(one);
    signInPage.push(other);
  }
  await signedOut.close();
  return [
    toLine(`inbox usable, processor slowed ${slowdown} times`, inbox, goals.interactive, 0.5, signInPage),
    { title: '  / the sign-in page', note: describe(signInPage) },
  ];
}

/** Milliseconds from the navigation until the element exists and the page can handle a click. */
async function load(context: BrowserContext, path: string, selector: string): Promise<number> {
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
  await page.addInitScript(`{
    const check = () => document.querySelector('${selector}')
      ? setTimeout(() => (globalThis.usableAt = performance.now()))
      : requestAnimationFrame(check);
    check();
  }`);
  await page.goto(path);
  const usableAt = await waitForNumber(page, 'globalThis.usableAt');
  await page.close();
  return usableAt;
}

/** Waits until an expression in the page has a value, and returns it. */
const waitForNumber = (page: Page, expression: string): Promise<number> =>
  page.evaluate<number>(`new Promise((resolve) => {
    const check = () => (${expression} === undefined ? setTimeout(check, 10) : resolve(${expression}));
    check();
  })`);

async function measureScrolling({ database, user }: Environment, page: Page, url: string): Promise<Line> {
  await seedInbox(database, user.userId, listed);
  await page.goto(`${url}/dashboard/requests?filter=ended`);
  await page.locator('[data-request]').first().waitFor();
  const { rows, longest, slow, frames } = await page.evaluate<Record<string, number>>(`(async () => {
    const scroller = document.querySelector('[data-request]').closest('ul').parentElement;
    const frame = () => new Promise(requestAnimationFrame);
    // Scrolls to the end, so that all pages are loaded.
    for (let height = 0, same = 0; same < 60; ) {
      scroller.scrollTop = scroller.scrollHeight;
      await frame();
      await new Promise((resolve) => setTimeout(resolve, 50));
      same = scroller.scrollHeight === height ? same + 1 : 0;
      height = scroller.scrollHeight;
    }
    const rows = Number(document.querySelector('li[aria-setsize]').getAttribute('aria-setsize'));
    let [longest, slow, frames, last] = [0, 0, 0, await frame()];
    for (let at = 0; at < 600; at++) {
      scroller.scrollTop -= 1500;
      const now = await frame();
      longest = Math.max(longest, now - last);
      if (now - last > ${goals.frame}) slow += 1;
      frames += 1;
      last = now;
    }
    return { rows, longest, slow, frames };
  })()`);
  const reached = slow === 0 ? 'met' : 'MISSED';
  return {
    title: `scrolling ${Number(rows).toLocaleString('en')} requests`,
    note: `longest of ${frames} frames ${Number(longest).toFixed(0)} ms, ${slow} over ${goals.frame} ms, goal none: ${reached}`,
  };
}

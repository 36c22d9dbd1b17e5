import {
  type Constellation,
  type ConstellationOptions,
  startConstellation,
} from '@expert-relay/constellation';
import { type Conversation, createRelay, type Relay } from '@expert-relay/sdk';
import { eventually } from '@expert-relay/testkit';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { openBrowser } from './open-browser.ts';
import { recordStatuses } from './until-announced.ts';

/** A running relay and a browser, for tests of the experts' web app. */
export interface Product {
  readonly relay: Constellation;
  readonly browser: Browser;
  /** Signs an expert in with a new browser profile. */
  signIn(user: string, options?: BrowserContextOptions): Promise<Device>;
}

/** Is called in each state of each page. */
export type OnState = (state: string, page: Page) => Promise<void>;

/** A browser profile with its own cookies and storage. */
export interface Device extends AsyncDisposable {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Errors of pages, and violations of the content security policy. */
  readonly problems: string[];
  /** Opens another tab. */
  newTab(): Promise<Page>;
  /** Opens a path of the dashboard in the first tab, such as `/requests`. */
  open(path?: string): Promise<Page>;
  /** Calls the session API. */
  call<T>(method: string, path: string, body?: unknown): Promise<T>;
  /** Creates an agent with a new key of this expert. */
  newAgent(name?: string): Promise<TestAgent>;
}

export interface TestAgent extends AsyncDisposable {
  readonly relay: Relay;
  readonly apiKey: string;
  /** Submits a request with encryption. */
  ask(
    question: string,
    messages?: readonly { role: string; content: string }[],
    tags?: readonly string[],
  ): Promise<Conversation>;
  /** Submits a request without encryption. */
  askPlainly(body: Readonly<Record<string, unknown>>): Promise<{ requestId: string; refCode: string }>;
  /** Sends a message without encryption. */
  sendPlainly(requestId: string, plaintext: string): Promise<void>;
}

export async function openProduct(options: ConstellationOptions = {}): Promise<Product & AsyncDisposable> {
  const browser = await openBrowser();
  const relay = await startConstellation(options).catch(async (error: unknown) => {
    await browser.close();
    throw error;
  });
  return {
    relay,
    browser,
    signIn: (user, contextOptions) => signIn(relay.gatewayUrl, browser, user, contextOptions),
    async [Symbol.asyncDispose]() {
      await browser.close();
      await relay.stop();
    },
  };
}

async function signIn(
  url: string,
  browser: Browser,
  user: string,
  options: BrowserContextOptions = {},
): Promise<Device> {
  const context = await browser.newContext({
    baseURL: url,
    locale: 'en-GB',
    timezoneId: 'UTC',
    // Contrast is not measured while a colour changes.
    reducedMotion: 'reduce',
    ...options,
  });
  await recordStatuses(context);
  const problems: string[] = [];
  context.on('weberror', (error) => problems.push(`error: ${error.error().message}`));
  // The browser writes violations of the policy to the console, too.
  context.on('console', (message) => {
    // Calls fail in outages, and where this relay has no notifier. That there is no vault yet is no error.
    const isFailedCall = message.text().startsWith('Failed to load resource');
    const isOfVault = message.location().url.includes('/api/vault');
    if (message.type() === 'error' && (!isFailedCall || isOfVault))
      problems.push(`console: ${message.text()}`);
  });
  // It is 503 while Redis does not answer, as on a machine that stalls.
  const status = await eventually('an answer to the sign-in', async () => {
    const answer = await context.request.post('/auth/dev', { form: { user }, maxRedirects: 0 });
    return answer.status() !== 503 && answer.status();
  });
  if (status !== 303) throw new Error(`POST /auth/dev answered ${status}.`);
  const page = await context.newPage();

  async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const called = await context.request.fetch(path, { method, ...(body !== undefined && { data: body }) });
    if (!called.ok())
      throw new Error(`${method} ${path} answered ${called.status()}: ${await called.text()}`);
    return called.status() === 204 ? (undefined as T) : called.json();
  }

  return {
    context,
    page,
    problems,
    call,
    newTab: () => context.newPage(),
    async open(path = '/requests') {
      await page.goto(`/dashboard${path}`);
      return page;
    },
    async newAgent(name = 'build agent') {
      const { key } = await call<{ key: string }>('POST', '/api/keys', { name, kind: 'consumer' });
      return createAgent(url, key);
    },
    async [Symbol.asyncDispose]() {
      // The handler of a route may be answering a call: that it fails now is no failure of the test.
      const routed = [context, ...context.pages()];
      await Promise.all(routed.map((one) => one.unrouteAll({ behavior: 'ignoreErrors' })));
      await context.close();
    },
  };
}

function createAgent(url: string, apiKey: string): TestAgent {
  const relay = createRelay({ url, apiKey });

  async function post(path: string, body: object, key?: string): Promise<Response> {
    const answer = await fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(key && { 'x-api-key': key }) },
      body: JSON.stringify(body),
    });
    if (answer.status !== 201)
      throw new Error(`POST ${path} answered ${answer.status}: ${await answer.text()}`);
    return answer;
  }

  return {
    relay,
    apiKey,
    ask: (question, messages = [], tags = []) => relay.ask({ question, messages, tags }),
    async askPlainly(body) {
      const answer = await post('/api/v1/help', { apiKey, messages: [], ...body });
      return (await answer.json()) as { requestId: string; refCode: string };
    },
    async sendPlainly(requestId, plaintext) {
      const body = { role: 'consumer', plaintext, messageId: crypto.randomUUID() };
      await post(`/api/v1/message/${requestId}`, body, apiKey);
    },
    async [Symbol.asyncDispose]() {
      relay.stop();
    },
  };
}

/** A name that no other test uses. */
export const newUser = (): string => `expert-${crypto.randomUUID().slice(0, 8)}`;

/** A button, once it takes presses: one that has just appeared where an expert answers does not. */
export const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: true }).and(page.locator(':not([data-guarded])'));

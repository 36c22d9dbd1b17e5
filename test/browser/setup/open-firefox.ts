import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { eventually } from '@expert-relay/testkit';
import WebSocket from 'ws';
import type { FoundProgram } from '../../../scripts/servers/server-kind.ts';

/** A tab of Firefox, driven by WebDriver BiDi: Playwright drives only a Firefox of its own. */
export interface FirefoxPage extends AsyncDisposable {
  goto(url: string): Promise<void>;
  /** The value of a JavaScript expression, or of its promise. */
  evaluate<T>(expression: string): Promise<T>;
  /** Clicks an element as soon as it is there. */
  click(locator: Locator): Promise<void>;
  /** Clicks until another element is there: a busy page may not take the first click. */
  clickUntil(locator: Locator, result: Locator): Promise<void>;
  /** Types into the element that has the focus. `\uE009` is the Control key, until the end of the text. */
  type(text: string): Promise<void>;
  until(locator: Locator): Promise<void>;
}

/** As WebDriver BiDi defines it. */
export type Locator =
  | { readonly type: 'accessibility'; readonly value: { readonly role: string; readonly name: string } }
  | { readonly type: 'css' | 'xpath'; readonly value: string };

type Call = (method: string, params: object) => Promise<Record<string, unknown>>;

export async function openFirefox({ path, env }: FoundProgram): Promise<FirefoxPage> {
  const profile = await mkdtemp(join(tmpdir(), 'relay-firefox-'));
  const browser = spawn(path, ['--headless', '--remote-debugging-port=0', '--profile', profile], {
    env: { ...process.env, ...env, MOZ_DISABLE_AUTO_SAFE_MODE: '1' },
    stdio: ['ignore', 'ignore', 'pipe'],
    // A group of its own, which ends as a whole: Firefox has a process for each tab.
    detached: true,
  });
  const ended = once(browser, 'close');
  const stop = async () => {
    if (browser.pid) process.kill(-browser.pid, 'SIGKILL');
    await ended;
    await rm(profile, { recursive: true, force: true });
  };
  try {
    const socket = new WebSocket(`${await readAddress(browser.stderr)}/session`);
    await once(socket, 'open');
    const page = await openPage(createCall(socket));
    return {
      ...page,
      async [Symbol.asyncDispose]() {
        socket.terminate();
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Firefox prints where it listens. */
async function readAddress(output: NodeJS.ReadableStream): Promise<string> {
  const lines: string[] = [];
  for await (const line of createInterface(output)) {
    const [, address] = /WebDriver BiDi listening on (ws:\S+)/.exec(line) ?? [];
    if (address) {
      // What it prints later must not fill the pipe.
      output.resume();
      return address;
    }
    lines.push(line);
  }
  throw new Error(`Firefox has ended: ${lines.join('\n')}`);
}

interface Answer {
  readonly id: number | null;
  readonly type: 'success' | 'error' | 'event';
  readonly result: Record<string, unknown>;
  readonly message: string;
}

function createCall(socket: WebSocket): Call {
  const waiting = new Map<number | null, (answer: Answer) => void>();
  let calls = 0;
  socket.on('message', (data) => {
    const answer = JSON.parse(String(data)) as Answer;
    waiting.get(answer.id)?.(answer);
  });
  return async (method, params) => {
    const id = ++calls;
    const answered = new Promise<Answer>((resolve) => waiting.set(id, resolve));
    socket.send(JSON.stringify({ id, method, params }));
    const { type, result, message } = await answered;
    waiting.delete(id);
    if (type === 'error') throw new Error(`${method}: ${message}`);
    return result;
  };
}

async function openPage(call: Call): Promise<Omit<FirefoxPage, keyof AsyncDisposable>> {
  await call('session.new', { capabilities: {} });
  const { contexts } = (await call('browsingContext.getTree', {})) as { contexts: { context: string }[] };
  const [{ context } = { context: '' }] = contexts;

  async function find(locator: Locator): Promise<object | undefined> {
    const { nodes } = await call('browsingContext.locateNodes', { context, locator, maxNodeCount: 1 });
    return (nodes as { sharedId: string }[])[0];
  }

  /** A page that is loading or changing has no such element for a moment. */
  const retry = (what: string, attempt: () => Promise<boolean>) =>
    eventually(what, () => attempt().catch(() => false), { timeoutMs: 120_000 });

  async function click(locator: Locator): Promise<boolean> {
    const found = await find(locator);
    if (!found) return false;
    const { sharedId } = found as { sharedId: string };
    const element = { sharedId };
    await call('script.callFunction', {
      target: { context },
      awaitPromise: false,
      arguments: [element],
      functionDeclaration: `(element) => element.scrollIntoView({ block: 'center' })`,
    });
    const origin = { type: 'element', element };
    const press = [
      { type: 'pointerMove', x: 0, y: 0, origin },
      { type: 'pointerDown', button: 0 },
      { type: 'pointerUp', button: 0 },
    ];
    await call('input.performActions', {
      context,
      actions: [{ type: 'pointer', id: 'mouse', actions: press }],
    });
    return true;
  }

  return {
    async goto(url) {
      await call('browsingContext.navigate', { context, url, wait: 'complete' });
    },
    async evaluate<T>(expression: string) {
      const answer = await call('script.evaluate', {
        target: { context },
        awaitPromise: true,
        expression: `Promise.resolve(${expression}).then((value) => JSON.stringify(value ?? null))`,
      });
      const { result, exceptionDetails } = answer as {
        result?: { value: string };
        exceptionDetails?: { text: string };
      };
      if (!result) throw new Error(exceptionDetails?.text);
      return JSON.parse(result.value) as T;
    },
    async click(locator) {
      await retry(`a click on ${JSON.stringify(locator.value)}`, () => click(locator));
    },
    async clickUntil(locator, result) {
      await retry(`a click on ${JSON.stringify(locator.value)} has worked`, async () => {
        if (await find(result)) return true;
        await click(locator);
        return false;
      });
    },
    async type(text) {
      const actions = [...text].flatMap((value) =>
        value === '\uE009'
          ? [{ type: 'keyDown', value }]
          : [
              { type: 'keyDown', value },
              { type: 'keyUp', value },
            ],
      );
      await call('input.performActions', { context, actions: [{ type: 'key', id: 'keyboard', actions }] });
      await call('input.releaseActions', { context });
    },
    async until(locator) {
      await retry(`${JSON.stringify(locator.value)} on the page`, async () => Boolean(await find(locator)));
    },
  };
}

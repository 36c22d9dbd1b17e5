import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Conversation, Relay } from '@expert-relay/sdk';
import type { Expert } from '@expert-relay/sdk/expert';
import type { Page } from 'playwright-core';
import type { Line } from '../../measure/table.ts';
import { toLine } from './to-line.ts';

/*
 * A person who never hesitates, so that what is measured is what the page makes them wait for. Both times end with the agent. The
 * baseline does the same with the SDK in this process.
 */

/** Milliseconds. Each of six requests must have been in view for a second. */
const goals = { approval: 3_000, answers: 7_500 };
/** For so long an approval can be taken back before it is sent. */
const undoMs = 4_000;
const program = fileURLToPath(new URL('../../../packages/cli/bin/relay.mjs', import.meta.url));

export interface Answering {
  /** With the expert's key in its browser. */
  readonly page: Page;
  readonly url: string;
  readonly relay: Relay;
  readonly expert: Expert;
  readonly consumerKey: string;
  readonly rounds: number;
}

/** From the notification, whose link opens the page, until `relay approve` has ended. */
export async function measureApproval(answering: Answering): Promise<Line[]> {
  const { page, expert, rounds } = answering;
  await page.setViewportSize({ width: 360, height: 740 });
  const [byThumb, bySdk]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds * 2; round++) {
    byThumb.push(
      await timeApproval(answering, `May I restart web-${round}?`, async (requestId) => {
        await page.goto(`/dashboard/requests/${requestId}`);
        await page.locator('button:not([data-guarded])', { hasText: 'Approve' }).click();
      }),
    );
    bySdk.push(
      await timeApproval(answering, `May I restart db-${round}?`, async (requestId) => {
        const request = await expert.request(requestId);
        await request.answer('', { decision: { action: 'accept', content: {} } });
      }),
    );
  }
  const withoutUndo = byThumb.map((ms) => ms - undoMs);
  return [
    toLine(
      'two taps, from the notification to the exit code, without the 4 s of Undo',
      withoutUndo,
      goals.approval,
      0.5,
      bySdk,
    ),
  ];
}

async function timeApproval(
  { url, consumerKey, expert }: Answering,
  question: string,
  approve: (requestId: string) => Promise<void>,
): Promise<number> {
  const env = { ...process.env, RELAY_URL: url, RELAY_API_KEY: consumerKey };
  const agent = spawn(process.execPath, [program, 'approve', question], { env, stdio: 'ignore' });
  const ended = once(agent, 'exit');
  let asked: { readonly requestId: string } | undefined;
  while (!asked) {
    await pause(20);
    asked = (await expert.list({ status: 'pending' })).find((one) => one.question === question);
  }
  const startedAt = performance.now();
  await approve(asked.requestId);
  const [exitCode] = await ended;
  if (exitCode !== 0) throw new Error(`relay approve has ended with ${exitCode}.`);
  return performance.now() - startedAt;
}

/** Six answers of a word, from the first key until the agent has the last one. */
export async function measureKeyboard(answering: Answering): Promise<Line[]> {
  const { page, rounds } = answering;
  await page.setViewportSize({ width: 1440, height: 900 });
  const [byKeys, bySdk]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    byKeys.push(await timeAnswers(answering, (asked) => answerByKeys(page, asked)));
    bySdk.push(
      await timeAnswers(answering, async (asked) => {
        for (const { requestId } of asked) await (await answering.expert.request(requestId)).answer('Yes');
      }),
    );
  }
  return [toLine('six answers by keyboard', byKeys, goals.answers, 0.5, bySdk)];
}

async function timeAnswers(
  { page, relay }: Answering,
  answer: (asked: readonly Conversation[]) => Promise<void>,
): Promise<number> {
  const asked: Conversation[] = [];
  for (let number = 0; number < 7; number++)
    asked.unshift(await relay.ask({ question: `Number ${number}?` }));
  const [newest, ...others] = asked;
  // The keyboard goes from the newest to those below it in the list.
  await page.goto(`/dashboard/requests/${newest?.requestId}`);
  await page.locator(`[data-request="${others.at(-1)?.requestId}"]`).waitFor({ state: 'attached' });
  const startedAt = performance.now();
  await answer(others);
  await Promise.all(others.map((one) => one.waitForAnswer({ timeoutMs: 60_000 })));
  const took = performance.now() - startedAt;
  for (const one of asked) await one.close();
  return took;
}

async function answerByKeys(page: Page, asked: readonly Conversation[]): Promise<void> {
  await page.keyboard.press('j');
  for (const { requestId } of asked) {
    await page.waitForURL(`**/${requestId}`);
    await page.getByRole('textbox', { name: 'Answer' }).waitFor();
    await page.keyboard.press('r');
    await page.keyboard.type('Yes');
    await page.keyboard.press('Control+Shift+Enter');
  }
}

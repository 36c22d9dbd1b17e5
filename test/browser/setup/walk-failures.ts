import type { Page, Route } from 'playwright-core';
import { withExpertKey } from './make-expert-key.ts';
import { button, type Device, type OnState, type Product } from './open-product.ts';

type Answer = Record<string, unknown>;

const failed = { status: 500, json: { error: 'internal_error', title: 'It has failed', status: 500 } };

/** What each page shows when calls fail, the relay lies, or the session has ended. */
export async function walkFailures(product: Product, onState: OnState): Promise<void> {
  await using device = await product.signIn('failures');
  await using agent = await device.newAgent('build agent');
  const { requestId } = await agent.askPlainly({ question: 'May I?', plaintext: 'May I?' });
  const { page } = device;
  const whileItFails = failing(page);

  await whileItFails('**/api/requests?*', failed, async () => {
    await page.goto('/dashboard/requests');
    await page.getByText('Your requests could not be read.').waitFor();
    await onState('inbox-failed', page);
  });
  await whileItFails(`**/api/requests/${requestId}?*`, { json: {} }, async () => {
    await page.goto(`/dashboard/requests/${requestId}`);
    await page.getByText('does not understand the relay’s answer').waitFor();
    await onState('conversation-failed', page);
  });
  let load = () => {};
  const loading = new Promise<void>((resolve) => {
    load = resolve;
  });
  await page.route(`**/api/requests/${requestId}?*`, async (route) => {
    await loading;
    await route.continue();
  });
  await page.goto(`/dashboard/requests/${requestId}`);
  await page.getByText('Loading').first().waitFor({ state: 'attached' });
  await onState('conversation-loading', page);
  load();
  await page.getByRole('textbox', { name: 'Answer' }).waitFor();
  await page.unroute(`**/api/requests/${requestId}?*`);
  await whileItFails('**/api/keys', failed, async () => {
    await page.goto('/dashboard/keys');
    await button(page, 'Try again').waitFor();
    await button(page, 'Make a key').click();
    await page.getByRole('textbox', { name: 'Name' }).fill('deploy agent');
    await button(page, 'Make key').click();
    await page.getByRole('alert').filter({ hasText: /\w/ }).first().waitFor();
    await onState('keys-failed', page);
  });
  await whileItFails(/\/api\/(sessions|identities|notifications|webhooks)/, failed, async () => {
    await page.goto('/dashboard/settings');
    await button(page, 'Try again').first().waitFor();
    await onState('settings-failed', page);
  });
  await whileItFails('**/api/me', failed, async () => {
    await page.goto('/dashboard/requests');
    await button(page, 'Try again').waitFor();
    await onState('start-failed', page);
  });
  await visitRefusals(device, (await agent.ask('May I delete the test database?')).requestId, onState);

  const limited = { status: 429, headers: { 'retry-after': '600' }, json: { error: 'rate_limited' } };
  await whileItFails('**/api/keys', limited, async () => {
    await page.goto('/dashboard/keys');
    await page.getByText('Too many calls.').waitFor();
    await onState('rate-limited', page);
  });
  await page.goto(`/dashboard/requests/${requestId}`);
  await page.getByRole('textbox', { name: 'Answer' }).fill('Half a sentence');
  await using other = await product.signIn('failures');
  type Sessions = { sessions: { id: string; current: boolean }[] };
  const { sessions } = await device.call<Sessions>('GET', '/api/sessions');
  await other.call('DELETE', `/api/sessions/${sessions.find(({ current }) => current)?.id}`);
  await page.getByText('You were signed out. What you typed is kept.').waitFor();
  await onState('signed-out', page);
}

/** The relay shows another question than before, and another user signs in with the same browser. */
async function visitRefusals(device: Device, requestId: string, onState: OnState): Promise<void> {
  const { context, page } = device;
  await withExpertKey(device);
  await page.goto(`/dashboard/requests/${requestId}`);
  await page.getByRole('textbox', { name: 'Answer' }).fill('No.');
  const change = { question: 'May I delete the PRODUCTION database?' };
  const alter = async (route: Route) => {
    const response = await route.fetch();
    const answer = (await response.json()) as Answer;
    const json = Array.isArray(answer.requests)
      ? { ...answer, requests: answer.requests.map((row: Answer) => ({ ...row, ...change })) }
      : { ...answer, ...change };
    await route.fulfill({ response, json });
  };
  await page.route('**/api/requests?*', alter);
  await page.route(`**/api/requests/${requestId}?*`, alter);
  await page.goto(`/dashboard/requests/${requestId}`);
  await page.getByText('Something in this request was changed').waitFor();
  await onState('request-refused', page);
  await page.unrouteAll({ behavior: 'wait' });

  const signIn = (user: string) => context.request.post('/auth/dev', { form: { user }, maxRedirects: 0 });
  await signIn('failures-of-another');
  await page.goto('/dashboard/requests');
  await button(page, 'Keep that key').waitFor();
  await onState('key-of-another', page);
  await signIn('failures');
}

/** Answers calls with a failure while something runs. */
const failing =
  (page: Page) =>
  async (
    path: string | RegExp,
    answer: Parameters<Route['fulfill']>[0],
    run: () => Promise<void>,
  ): Promise<void> => {
    await page.route(path, (route) => route.fulfill(answer));
    await run();
    await page.unroute(path);
  };

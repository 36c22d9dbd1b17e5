import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { withExpertKey } from './make-expert-key.ts';
import { button, type Device, type Product } from './open-product.ts';
import { dependency, flakyTest, migration, refund, type SampleRequest } from './sample-requests.ts';

const command = 'Run `rm -rf /var/log/old/*` on web-3?';

/** The pictures of README.md, in `folder`. */
export async function takeDocsPictures(product: Product, folder: string): Promise<void> {
  await using device = await product.signIn('ada', { viewport: { width: 1280, height: 800 } });
  await withExpertKey(device);
  for (const sample of [refund, dependency, flakyTest]) await ask(device, sample);
  const { requestId } = await ask(device, migration);
  const page = await device.open(`/requests/${requestId}`);
  await button(page, 'Send').waitFor();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.screenshot({ path: join(folder, `conversation-${colorScheme}.png`) });
  }
  await takeApproval(product, join(folder, 'approval.png'));
}

async function ask(device: Device, { agent: name, question, ...asked }: SampleRequest) {
  const agent = await device.newAgent(name);
  const { messages = [], tags = [] } = asked;
  return await agent.ask(question, messages, tags);
}

/** A phone on which an approval is decided, and the terminal that waits for it: one after the other, as they are. */
async function takeApproval(product: Product, path: string): Promise<void> {
  await using phone = await product.signIn('grace', {
    viewport: { width: 390, height: 700 },
    hasTouch: true,
  });
  await withExpertKey(phone);
  const { page } = phone;
  const expert = await page.locator('code', { hasText: /^(\d{5} ){7}\d{5}$/ }).textContent();
  const { apiKey } = await phone.newAgent('deploy-bot');

  const relay = spawn(process.execPath, ['packages/cli/bin/relay.mjs', 'approve', command], {
    env: {
      ...process.env,
      RELAY_URL: product.relay.gatewayUrl,
      RELAY_HUB_URL: product.relay.hubUrl,
      RELAY_API_KEY: apiKey,
      RELAY_AGENT_NAME: 'deploy-bot',
      RELAY_EXPERT: expert ?? '',
      FORCE_COLOR: '0',
    },
  });
  let printed = '';
  for (const stream of [relay.stdout, relay.stderr]) stream.on('data', (bytes) => (printed += bytes));
  await phone.open('/requests');
  // The first request opens automatically.
  await button(page, 'Approve').waitFor();
  await button(page, 'Approve').waitFor();
  const picture = await page.screenshot();
  await button(page, 'Approve').click();
  await once(relay, 'exit');
  await compose(product, { picture, terminal: `$ relay approve '${command}'\n${printed}$ ` }, path);
}

/** Both in one picture, on a page of its own. */
async function compose(
  { browser }: Product,
  shown: { picture: Buffer; terminal: string },
  path: string,
): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1180, height: 780 } });
  const text = shown.terminal.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  await page.setContent(`<!doctype html>
    <style>
      body { display: flex; gap: 40px; align-items: center; justify-content: center; height: 100vh; margin: 0; background: #eef1f5; }
      pre { box-sizing: border-box; width: 640px; min-height: 320px; margin: 0; padding: 24px; border-radius: 10px; background: #16191d;
        color: #e8eaed; font: 15px/1.5 monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
      img { width: 390px; border: 8px solid #16191d; border-radius: 32px; }
    </style>
    <pre>${text}</pre><img src="data:image/png;base64,${shown.picture.toString('base64')}">`);
  await page.locator('img').waitFor();
  await page.screenshot({ path });
  await page.close();
}

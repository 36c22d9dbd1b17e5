import { readFile } from 'node:fs/promises';
import type { Answer } from '@expert-relay/sdk';
import { eventually } from '@expert-relay/testkit';
import { describe, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { browserTest as test } from './setup/browser-test.ts';
import { makeExpertKey, withExpertKey } from './setup/make-expert-key.ts';
import { button, newUser, type Product } from './setup/open-product.ts';
import { untilStored } from './setup/read-stored-keys.ts';
import { drawPicture, withPosition } from './setup/sample-pictures.ts';
import { useProduct } from './setup/use-product.ts';

/* Files in encrypted conversations: attached by the expert, and shown when the agent sends them. */

const product = useProduct();
const patiently = { timeoutMs: 120_000 };

/** An agent's question with files, opened and picked up by its expert. */
async function open({ signIn }: Pick<Product, 'signIn'>, files: FilesToSend = []) {
  const device = await signIn(newUser());
  const agent = await device.newAgent();
  const conversation = await agent.relay.ask({ question: 'What is wrong?', files });
  if (files.length === 0) await withExpertKey(device);
  const page = await device.open(`/requests/${conversation.requestId}`);
  if (files.length > 0) {
    await button(page, 'Open').click();
    await makeExpertKey(page);
    // The files follow once the agent has the keys.
    await page.getByText('The agent is sending').waitFor();
    await conversation.refresh();
  }
  await button(page, 'Attach a file').waitFor();
  return {
    device,
    page,
    conversation,
    async [Symbol.asyncDispose]() {
      await agent[Symbol.asyncDispose]();
      await device[Symbol.asyncDispose]();
    },
  };
}

type FilesToSend = readonly { name: string; mediaType?: string; bytes: Uint8Array }[];

const send = async (page: Page) => {
  await button(page, 'Send').and(page.locator(':not([aria-disabled])')).click();
};
const attached = (page: Page) => page.getByRole('list', { name: 'Attached files' }).getByRole('listitem');
const namesOf = ({ files = [] }: Answer) => files.map(({ name, mediaType }) => [name, mediaType]);

/** Gives the page files, as a paste or a drop does. */
const give = (page: Page, type: 'paste' | 'drop', file: { name: string; type: string; base64: string }) =>
  page.evaluate(
    async ({ type, file }) => {
      const { DataTransfer, File, ClipboardEvent, DragEvent, document, atob } =
        globalThis as unknown as Record<string, never> as unknown as BrowserEvents;
      const bytes = Uint8Array.from(atob(file.base64), (letter: string) => letter.charCodeAt(0));
      const data = new DataTransfer();
      data.items.add(new File([bytes], file.name, { type: file.type }));
      const options = { bubbles: true, cancelable: true };
      const event =
        type === 'paste'
          ? new ClipboardEvent('paste', { ...options, clipboardData: data })
          : new DragEvent('drop', { ...options, dataTransfer: data });
      document.querySelector('textarea').dispatchEvent(event);
    },
    { type, file },
  );

interface BrowserEvents {
  readonly DataTransfer: new () => { items: { add(file: unknown): void } };
  readonly File: new (parts: unknown[], name: string, options: object) => unknown;
  readonly ClipboardEvent: new (type: string, options: object) => object;
  readonly DragEvent: new (type: string, options: object) => object;
  readonly document: { querySelector(selector: string): { dispatchEvent(event: object): void } };
  readonly atob: (text: string) => string;
}

describe('pictures of the expert', () => {
  test.each(['image/jpeg', 'image/png', 'image/webp'])(
    '%s: are encoded again without what they say about the place, and scaled down with a notice',
    async (type) => {
      await using opened = await open(product);
      const { page, conversation, device } = opened;
      const drawn = await drawPicture(page, { type, width: 2_400, height: 600 });
      const extension = type.split('/')[1] ?? '';
      const buffer = type === 'image/jpeg' ? withPosition(drawn) : drawn;
      await page.getByLabel('Files').setInputFiles({ name: `crash.${extension}`, mimeType: type, buffer });
      await page.getByText(`crash.${extension} is scaled down from 2400 × 600 pixels.`).waitFor();
      await send(page);
      const answer = await conversation.waitForAnswer(patiently);
      expect(answer.text).toBe('');
      expect(namesOf(answer)).toEqual([[`crash.${extension}`, type]]);
      const [file] = answer.files ?? [];
      expect(Buffer.from(file?.bytes ?? []).includes('GPS')).toBe(false);
      // The expert sees what was sent.
      const picture = page.getByRole('img', { name: `crash.${extension}` });
      await picture.waitFor();
      const size = await picture.evaluate((image) => {
        const { naturalWidth, naturalHeight } = image as unknown as Record<string, number>;
        return [naturalWidth, naturalHeight];
      });
      expect(size).toEqual([2_048, 512]);
      expect(device.problems).toEqual([]);
    },
  );

  test('that are too large as PNG are sent as JPEG, and are pasted and dropped', async () => {
    await using opened = await open(product);
    const { page, conversation } = opened;
    const noisy = await drawPicture(page, { type: 'image/png', width: 1_600, height: 1_200, isNoisy: true });
    await give(page, 'paste', { name: 'image.png', type: 'image/png', base64: noisy.toString('base64') });
    await page.getByText('sent as JPEG').waitFor();
    const log = Buffer.from('It hangs.').toString('base64');
    await give(page, 'drop', { name: 'build.log', type: 'text/plain', base64: log });
    await eventually('both are attached', async () => (await attached(page).count()) === 2);
    await page.getByRole('textbox', { name: 'Answer' }).fill('See these.');
    await send(page);
    const answer = await conversation.waitForAnswer(patiently);
    expect(answer.text).toBe('See these.');
    expect(namesOf(answer)).toEqual([
      ['image.jpg', 'image/jpeg'],
      ['build.log', 'text/plain'],
    ]);
    expect(Buffer.from(answer.files?.[1]?.bytes ?? []).toString()).toBe('It hangs.');
  });
});

test('attached files are there after a reload, and can be saved when the agent ends the request', async () => {
  await using opened = await open(product);
  const { page, conversation } = opened;
  const buffer = Buffer.from('It hangs.');
  await page.getByLabel('Files').setInputFiles({ name: 'build.log', mimeType: 'text/plain', buffer });
  await attached(page).getByText('build.log').waitFor();
  await untilStored(page, 'build.log');
  await page.reload();
  await attached(page).getByText('build.log').waitFor();
  await conversation.close();
  await page.getByText('What you wrote was not sent: the request has ended.').waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    button(page, 'Save build.log').click(),
  ]);
  expect(await readFile(await download.path())).toEqual(buffer);
});

test('files that are left out are named, and what to know before a file is sent is there after a reload', async () => {
  await using opened = await open(product);
  const { page } = opened;
  const file = (name: string, mimeType = 'text/plain') => ({ name, mimeType, buffer: Buffer.from(name) });
  const names = Array.from({ length: 10 }, (_, index) => `${index + 1}.log`);
  const files = [file('IMG_1.heic', 'image/heic'), ...names.map((name) => file(name))];
  await page.getByLabel('Files', { exact: true }).setInputFiles(files);
  await page.getByText('A message carries at most 8 files. Not attached: 8.log, 9.log, 10.log.').waitFor();
  const warning = page.getByText('IMG_1.heic is sent unchanged. It may say where and when it was taken.');
  await warning.waitFor();
  await eventually('they are stored', async () => {
    await page.reload();
    await button(page, 'Attach a file').waitFor();
    await eventually('files', async () => (await attached(page).count()) === 8);
    return true;
  });
  await warning.waitFor();
  await button(page, 'Remove IMG_1.heic').click();
  await warning.waitFor({ state: 'detached' });
});

test('what has no room is not attached, and an attached file can be removed', async () => {
  await using opened = await open(product);
  const { page, conversation } = opened;
  const file = (name: string, size: number) => ({
    name,
    mimeType: 'application/octet-stream',
    buffer: Buffer.alloc(size),
  });
  await page.getByLabel('Files').setInputFiles([file('core', 500_000), file('more', 300_000)]);
  await page.getByText('more was not attached: it has 300 kB, and there is room for 200 kB.').waitFor();
  await button(page, 'Remove core').click();
  await page.getByLabel('Files').setInputFiles(Array.from({ length: 9 }, (_, at) => file(`f${at}`, 10)));
  await page.getByText('A message carries at most 8 files.').waitFor();
  await send(page);
  const { files = [] } = await conversation.waitForAnswer(patiently);
  expect(files.map(({ name }) => name)).toEqual(Array.from({ length: 8 }, (_, at) => `f${at}`));
});

test('of an agent’s files only small pictures are shown, and all are saved as bytes under a safe name', async () => {
  await using drawing = await product.signIn(newUser());
  const drawn = await drawPicture(await drawing.open(), { type: 'image/png', width: 640, height: 360 });
  const html = new TextEncoder().encode('<script>parent.hostile?.()</script>');
  const svg = new TextEncoder().encode('<svg xmlns="http://www.w3.org/2000/svg" onload="hostile()"/>');
  // The header says 20,000 x 20,000 pixels.
  const huge = Buffer.from(drawn);
  huge.writeUInt32BE(20_000, 16);
  huge.writeUInt32BE(20_000, 20);
  const files = [
    { name: 'shot.png', mediaType: 'image/png', bytes: new Uint8Array(drawn) },
    { name: 'huge.png', mediaType: 'image/png', bytes: new Uint8Array(huge) },
    { name: 'shot.jpg', mediaType: 'image/jpeg', bytes: new Uint8Array(drawn) },
    { name: 'logo.svg', mediaType: 'image/svg+xml', bytes: svg },
    { name: 'page.png', mediaType: 'image/png', bytes: html },
    { name: '../../.bash\u202erc', mediaType: 'text/html', bytes: html },
  ];
  await using opened = await open(product, files);
  const { page, device } = opened;
  await page.getByText('page.png').waitFor();
  expect(await page.getByRole('main').getByRole('img').count()).toBe(1);
  const picture = page.getByRole('img', { name: 'shot.png' });
  await eventually('the picture is shown', () =>
    picture.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth === 640),
  );
  await page.getByText('../../.bash<U+202E>rc').waitFor();
  for (const [label, name] of [
    ['Save page.png', 'page.png'],
    ['Save ../../.bash<U+202E>rc', 'bashrc'],
  ] as const) {
    const [download] = await Promise.all([page.waitForEvent('download'), button(page, label).click()]);
    expect(download.suggestedFilename()).toBe(name);
    expect(await readFile(await download.path())).toEqual(Buffer.from(html));
  }
  expect(device.problems).toEqual([]);
});

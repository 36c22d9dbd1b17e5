import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { checkAccessibility } from './stage/check-accessibility.ts';
import { openStage, type Stage } from './stage/open-stage.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
  // Chromium may have to be installed first.
}, 600_000);
afterAll(async () => await stage?.[Symbol.asyncDispose]());

test('pages open without a broken rule of the content security policy', async () => {
  await using device = await stage.signIn('ada');
  const page = await device.open('/keys');
  await page.waitForTimeout(3000);
  await page.screenshot({ path: '/tmp/shots/keys.png' });
  console.log(device.problems, await checkAccessibility(page));
  await device.open('/requests');
  await page.waitForTimeout(1500);
  await page.screenshot({ path: '/tmp/shots/inbox.png' });
  console.log(device.problems, await checkAccessibility(page));
  expect(device.problems).toEqual([]);
});

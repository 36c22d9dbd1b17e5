import { eventually } from '@expert-relay/testkit';
import { expect } from '@jest/globals';
import { browserTest as test } from './setup/browser-test.ts';
import { makeExpertKey } from './setup/make-expert-key.ts';
import { newUser } from './setup/open-product.ts';
import { sendByKeyboard } from './setup/send-by-keyboard.ts';
import { useProduct } from './setup/use-product.ts';

/* docs/crypto-messages.md, "Other kinds": a note of a later version is named, beside a text and alone, and the answer counts. */

const product = useProduct();
const remark = 'This message has a part that this version cannot show.';

test('a part of a later version is named, and what the expert answers counts', async () => {
  await using device = await product.signIn(newUser());
  await using agent = await device.newAgent();
  const asked = await agent.ask('May I?');
  const page = await device.open(`/requests/${asked.requestId}`);
  const box = page.getByRole('textbox', { name: 'Answer' });
  await box.fill('Soon.');
  await sendByKeyboard(page);
  await makeExpertKey(page);
  await asked.waitForAnswer({ timeoutMs: 120_000 });

  // As an agent's client of a later version may send it: the texts of a stored state are sent with their parts.
  const drafts = ['And now?', ''].map((text) => ({
    messageId: crypto.randomUUID(),
    text,
    isPlain: false,
    shown: [],
    parts: [{ kind: 100, body: 'AAAA' }],
  }));
  const state = asked.export();
  const later = await agent.relay.resume({ ...state, sender: { outgoing: undefined, drafts } });
  await eventually('both were sent', async () => {
    await later.refresh();
    return later.unsent.length === 0;
  });
  await page.getByText(remark).nth(1).waitFor();
  await page.getByText('And now?').waitFor();
  expect(await page.locator('[data-message]').count()).toBe(3);

  await box.fill('Yes.');
  await sendByKeyboard(page);
  expect(await later.waitForAnswer({ timeoutMs: 120_000 })).toMatchObject({
    text: 'Yes.',
    seenYourLast: true,
  });
  expect(device.problems).toEqual([]);
});

import type { Form } from '@expert-relay/sdk/forms';
import { button, type OnState, type Product } from './open-product.ts';
import { others, restart } from './sample-requests.ts';

const form: Form = { type: 'object', properties: {} };
const asking = { question: restart.question, messages: restart.messages, form };

/** Several requests at once: rows that are selected, and equal approvals. */
export async function walkSeveral(product: Product, onState: OnState): Promise<void> {
  await using device = await product.signIn('several');
  await using agent = await device.newAgent('on-call assistant');
  await using docs = await device.newAgent('docs writer');
  for (const { question } of others) await docs.askPlainly({ question, plaintext: question });
  const plainly = { encrypted: false, plaintext: restart.question } as const;
  const equal = [
    await agent.relay.ask({ ...asking, ...plainly, messages: [] }),
    await agent.relay.ask({ ...asking, ...plainly }),
    await agent.relay.ask({ ...asking, ...plainly }),
    await agent.relay.ask({ ...asking, ...plainly }),
  ];
  const page = await device.open(`/requests/${equal.at(-1)?.requestId}`);
  await button(page, '3 similar requests: answer all together').waitFor();
  await onState('approval-similar', page);
  await button(page, '3 similar requests: answer all together').click();
  await button(page, 'Approve all 3').waitFor();
  await onState('approval-equal', page);
  await page.route(new RegExp(`${equal[1]?.requestId}/messages$`), (route) => route.abort());
  await button(page, 'Approve all 3').click();
  await page.getByRole('button', { name: 'Undo' }).waitFor();
  await onState('approval-equal-undo', page);
  await page.getByText('2 of 3 approved.').waitFor();
  await page.getByRole('button', { name: /^Try again: / }).waitFor();
  await onState('approval-equal-failed', page);

  await page.goto('/dashboard/requests');
  await page.getByRole('checkbox').nth(3).waitFor({ state: 'attached' });
  for (const checkbox of (await page.getByRole('checkbox').all()).slice(0, 4)) await checkbox.check();
  await page.getByText('4 selected').waitFor();
  await onState('inbox-selection', page);
  await button(page, 'End request').click();
  await button(page, 'End all 4 now').waitFor();
  await onState('inbox-selection-end', page);
  await button(page, 'Keep them open').click();
  await page.route(/\/snooze$/, (route) => route.abort());
  await button(page, 'Snooze').click();
  await onState('inbox-selection-snooze', page);
  await button(page, 'Until the agent writes').click();
  await page
    .getByRole('button', { name: /^Try again: / })
    .nth(3)
    .waitFor();
  await onState('inbox-selection-failed', page);
}

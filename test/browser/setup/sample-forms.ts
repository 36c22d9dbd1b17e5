import type { Form } from '@expert-relay/sdk/forms';
import { eventually } from '@expert-relay/testkit';
import type { Page } from 'playwright-core';
import { button } from './open-product.ts';

/* A form with every type of field, and how an expert fills it in. */

export const everyField: Form = {
  type: 'object',
  properties: {
    region: { type: 'string', title: 'Region', enum: ['eu-west-1', 'us-east-1'] },
    plan: {
      type: 'string',
      title: 'Plan',
      default: 's',
      oneOf: [
        { const: 's', title: 'Small' },
        { const: 'l', title: 'Large' },
      ],
    },
    checks: {
      type: 'array',
      title: 'Checks',
      minItems: 1,
      items: { type: 'string', enum: ['lint', 'test', 'bench'] },
    },
    alarms: {
      type: 'array',
      title: 'Alarms',
      items: { anyOf: [{ const: 'a', title: 'Errors' }] },
    },
    note: { type: 'string', title: 'Note', description: 'What others should know.' },
    short: { type: 'string', title: 'Short name', minLength: 2, maxLength: 8, default: 'blue' },
    email: { type: 'string', title: 'Email', format: 'email' },
    page: { type: 'string', title: 'Website', format: 'uri' },
    day: { type: 'string', title: 'Day', format: 'date' },
    at: { type: 'string', title: 'Begin', format: 'date-time' },
    share: { type: 'number', title: 'Share', minimum: 0, maximum: 1 },
    pods: { type: 'integer', title: 'Pods', minimum: 1, maximum: 9, default: 3 },
    restart: { type: 'boolean', title: 'Restart' },
    quiet: { type: 'boolean', title: 'Quietly' },
    unused: { type: 'string', title: 'Unused' },
  },
  required: ['region', 'checks', 'note', 'restart'],
};

/** What `fillIn` fills in. */
export const everyContent = {
  region: 'us-east-1',
  plan: 'l',
  checks: ['lint', 'bench'],
  note: 'Line one\nLine two',
  short: 'blue',
  email: 'ada@example.com',
  page: 'https://example.com/a?b=c',
  day: '2026-11-24',
  at: '2026-11-24T08:30:00Z',
  share: 0.25,
  pods: 5,
  restart: false,
};

/** The same in words. */
export const everyWord = [
  ...[
    'Region: us-east-1',
    'Plan: Large',
    'Checks: lint, bench',
    'Note: Line one Line two',
    'Short name: blue',
  ],
  ...['Email: ada@example.com', 'Website: https://example.com/a?b=c', 'Day: 2026-11-24'],
  ...['Begin: 2026-11-24T08:30:00Z', 'Share: 0.25', 'Pods: 5', 'Restart: no'],
];

const group = (page: Page, name: string) => page.getByRole('group', { name: new RegExp(`^${name}`) });

export async function fillIn(page: Page): Promise<void> {
  await group(page, 'Region').getByLabel('us-east-1').check();
  await group(page, 'Plan').getByLabel('Large').check();
  await group(page, 'Checks').getByLabel('lint').check();
  await group(page, 'Checks').getByLabel('bench').check();
  await page.getByLabel('Note').pressSequentially('Line one');
  // In a field, Enter sends nothing.
  await page.getByLabel('Note').press('Enter');
  await page.getByLabel('Note').pressSequentially('Line two');
  await page.getByLabel('Email').fill('ada@example.com');
  await page.getByLabel('Email').press('Enter');
  await page.getByLabel('Website').fill('https://example.com/a?b=c');
  await page.getByLabel('Day').fill('2026-11-24');
  await page.getByLabel('Begin').fill('2026-11-24T08:30:00');
  await page.getByLabel('Share').fill('.25');
  await page.getByLabel('Pods').fill('5');
  await group(page, 'Restart').getByLabel('No', { exact: true }).check();
}

/**
 * Presses until it is taken: a press brings the expert to what is out of view. The page then learns that it is left, and does not wait for
 * a change of mind.
 */
export async function decide(page: Page, name: 'Approve' | 'Send' | 'Decline'): Promise<void> {
  await button(page, name).waitFor();
  const taken = async () => {
    if (await button(page, name).isVisible()) await button(page, name).click({ force: true, timeout: 2_000 });
    return page.locator('[data-form]').waitFor({ state: 'detached', timeout: 1_500 });
  };
  await eventually('the decision is taken', () =>
    taken().then(
      () => true,
      () => false,
    ),
  );
  await page.evaluate(`dispatchEvent(new Event('pagehide'))`);
}

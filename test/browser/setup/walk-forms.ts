import type { Conversation } from '@expert-relay/sdk';
import type { Form } from '@expert-relay/sdk/forms';
import type { Page } from 'playwright-core';
import { withExpertKey } from './make-expert-key.ts';
import { button, type Device, type OnState, type Product } from './open-product.ts';
import { decide, everyField, fillIn } from './sample-forms.ts';
import { drawPicture } from './sample-pictures.ts';

const patiently = { timeoutMs: 120_000 };

const approval = {
  question: [
    'May I run this in **production**? It frees 40 GB.',
    '',
    '```sql',
    "DELETE FROM sessions WHERE last_seen < now() - interval '90 days';",
    '```',
  ].join('\n'),
  form: { type: 'object', properties: {} } satisfies Form,
};

const regions = ['Frankfurt', 'Ireland', 'London', 'Milan', 'Paris', 'Stockholm', 'Zurich', 'Ohio', 'Oregon'];
const deploy: Form = {
  type: 'object',
  properties: {
    region: {
      type: 'string',
      title: 'Region',
      description: 'Where release 4.12 goes next.',
      default: 'region-2',
      oneOf: regions.map((title, index) => ({ const: `region-${index + 1}`, title })),
    },
    pods: { type: 'integer', title: 'Pods', minimum: 1, maximum: 20, default: 6 },
    begin: { type: 'string', title: 'Begin', format: 'date-time' },
    owner: { type: 'string', title: 'Who is on call?', format: 'email' },
    drain: { type: 'boolean', title: 'Drain connections first', default: true },
  },
  required: ['region', 'pods', 'owner'],
};

/** The arguments of a tool, filled in, with a plain text that says something else than the question. */
const toolCall = {
  question: 'May I run this on `db-1`?',
  plaintext: 'May I run a shell command as root on db-1?',
  messages: [
    'Free some space.',
    'The disk is full.',
    'Old dumps take 40 GB.',
    'They are copied.',
    'Shall I?',
  ].map((content, index) => ({ role: index === 0 ? 'user' : 'assistant', content })),
  form: {
    type: 'object',
    properties: {
      command: {
        type: 'string',
        title: 'Command',
        maxLength: 100,
        default: 'cd /var/backups/dumps\nrm -rf -- 2026-0* && sync',
      },
      path: {
        type: 'string',
        title: 'Report to',
        format: 'uri',
        default: 'https://reports.example.com/hooks/disk?host=db-1&team=storage&token=a81fe0c95b7d4421',
      },
      at: {
        type: 'string',
        title: 'Begin',
        format: 'date-time',
        default: '2026-11-24T22:00:00.250+01:00',
      },
      host: { type: 'string', title: 'Host', maxLength: 40, default: 'db-1' },
      note: { type: 'string', title: 'Note' },
    },
  } satisfies Form,
};

/** Approvals, forms and files. */
export async function walkForms(product: Product, onState: OnState): Promise<void> {
  await using device = await product.signIn('forms');
  await using agent = await device.newAgent('deploy agent');
  const { page } = device;
  await withExpertKey(device);
  const approving = await agent.relay.ask(approval);
  const form = await agent.relay.ask({
    question: 'Where does release 4.12 go next?',
    form: deploy,
  });
  const every = await agent.relay.ask({
    question: 'What do you want to try?',
    plaintext: 'What do you want to try?',
    encrypted: false,
    form: everyField,
  });

  await open(device, approving);
  await canDecide(page, 'Approve');
  await onState('approval', page);
  await button(page, 'Comment').click();
  await page.getByLabel('Comment').fill('Only after the backup of tonight.');
  await onState('approval-comment', page);
  await decide(page, 'Approve');
  await approving.waitForAnswer(patiently);
  await page.getByText('Sent', { exact: true }).waitFor();
  await onState('approval-decided', page);
  await approving.send('The backup begins at 22:00.');
  await page.locator('[data-message]', { hasText: 'The backup begins' }).waitFor();

  await open(device, form);
  await page.getByLabel('Who is on call?').waitFor();
  await onState('form', page);
  await page.getByLabel('Who is on call?').fill('ada@');
  await page.getByLabel('Pods').fill('40');
  await page.getByText('At most 20.').waitFor();
  await onState('form-problems', page);
  await page.getByLabel('Who is on call?').fill('ada@example.com');
  await page.getByLabel('Pods').fill('8');
  await page.getByRole('searchbox', { name: /^Filter/ }).fill('zu');
  await page.getByLabel('Zurich').check();
  await onState('form-filter', page);
  await decide(page, 'Approve');
  await form.waitForAnswer(patiently);
  await page.getByText('Sent', { exact: true }).waitFor();
  await onState('form-decided', page);

  const called = await agent.relay.ask(toolCall);
  await open(device, called);
  await page.getByLabel('Command').waitFor();
  await page.getByLabel('Host').scrollIntoViewIfNeeded();
  await onState('tool-call', page);
  await decide(page, 'Approve');
  await called.waitForAnswer(patiently);
  await page.getByText('Sent', { exact: true }).waitFor();
  await onState('tool-call-decided', page);

  await open(device, every);
  await page.getByLabel('Note').waitFor();
  await fillIn(page);
  await onState('form-every-field', page);

  const files = [
    { name: 'lock-waits.png', type: 'image/png', width: 900, height: 420 },
    { name: 'lock-waits-by-hour.webp', type: 'image/webp', width: 400, height: 700 },
  ];
  const drawn = await Promise.all(
    files.map(async (file) => ({ ...file, bytes: await drawPicture(page, file) })),
  );
  const sent = drawn.map(({ name, type, bytes }) => ({
    name,
    mediaType: type,
    bytes: new Uint8Array(bytes),
  }));
  const log = { name: 'report-job-2026-11-24T02-00-00.log', bytes: new Uint8Array(48_312) };
  const asked = await agent.relay.ask({ question: 'Is this wait normal?', files: [...sent, log] });
  await open(device, asked);
  await button(page, 'Open').click();
  await page.getByText('The agent is sending').waitFor();
  await asked.refresh();
  await page.getByRole('img', { name: 'lock-waits.png' }).waitFor();
  await onState('files', page);
  const photo = await drawPicture(page, { type: 'image/jpeg', width: 4_032, height: 3_024 });
  await page.getByLabel('Files').setInputFiles([
    { name: 'rack 12.jpg', mimeType: 'image/jpeg', buffer: photo },
    { name: 'core', mimeType: '', buffer: Buffer.alloc(690_000) },
    { name: 'syslog', mimeType: '', buffer: Buffer.alloc(48_000) },
  ]);
  await page.getByText('there is room for').waitFor();
  await button(page, 'Remove syslog').waitFor();
  await onState('files-attached', page);
}

const canDecide = (page: Page, name: string) =>
  button(page, name).and(page.locator(':not([aria-disabled])')).waitFor();

async function open({ page }: Device, { requestId }: Conversation): Promise<void> {
  await page.goto(`/dashboard/requests/${requestId}`);
  await page.locator('[data-end=question]').waitFor({ state: 'attached' });
}

import { writeFileSync } from 'node:fs';
import { type Part, writeParts } from '@expert-relay/sdk/crypto/wire';
import { expect, test } from '@jest/globals';
import { openExpertRoot } from './store/expert-root.ts';
import { sendParts } from './testing/send-parts.ts';
import { useAgent, useTestCli } from './testing/test-cli.ts';

/* What a later version adds to a message is named, and changes no decision: docs/crypto-messages.md, "Other kinds". */

const cli = useTestCli();
useAgent(cli);

const part = (kind: number): Part => ({ kind, body: new Uint8Array() });
const unknownPart = 'It has a part that this version cannot show.';

/** A question that was picked up. `send` and `decide` send what a client of another make may send. */
async function ask({ isApproval = false } = {}) {
  const form = `${cli.folder}/approval.json`;
  writeFileSync(form, JSON.stringify({ type: 'object', properties: {} }));
  const refCode = await cli.ask('May I?', ...(isApproval ? ['--form', form] : []));
  expect((await cli.pickUp(refCode)).code).toBe(0);
  const { RELAY_CONFIG_DIR: folder = '', RELAY_API_KEY: providerKey = '' } = cli.expert;
  const root = (await openExpertRoot(folder, providerKey).read()) as Uint8Array;
  const { requestId, form: open } = JSON.parse((await cli.asExpert('show', refCode, '--json')).stdout);
  const client = { gatewayUrl: cli.relay.gatewayUrl, providerKey, root };
  const send = (text: string, ...parts: Part[]) => sendParts(client, requestId, { text, parts });
  const decide = (decision: object, ...more: Part[]) => {
    const json = JSON.stringify({ ...decision, decidedAt: new Date().toISOString() });
    const answer = { of: Uint8Array.from(Buffer.from(open.of, 'base64')), json };
    return send('So be it.', ...writeParts({ answer }), ...more);
  };
  const resume = (...options: string[]) =>
    cli.asAgent('ask', '--resume', refCode, '--wait', '2s', ...options);
  return { refCode, send, decide, resume };
}

test('a note beside a decision', async () => {
  const { refCode, decide, resume } = await ask({ isApproval: true });
  await decide({ action: 'decline' }, part(64));
  expect((await cli.asExpert('show', refCode)).stdout).toContain(unknownPart);
  const { code, stderr } = await resume();
  expect({ code, stderr }).toEqual({ code: 13, stderr: expect.stringContaining(unknownPart) });
});

test('a part that is no note beside a decision', async () => {
  const { decide, resume } = await ask({ isApproval: true });
  await decide({ action: 'accept', content: {} }, part(63));
  const { code, stdout, stderr } = await resume();
  expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
  expect(stderr).toContain(unknownPart);
});

test('a note alone is no reply where a decision is awaited', async () => {
  const { send, decide, resume } = await ask({ isApproval: true });
  await send('', part(64));
  await decide({ action: 'decline' });
  const { code, stderr } = await resume();
  expect({ code, stderr }).toEqual({ code: 13, stderr: expect.not.stringContaining('has not decided') });
});

test('a note alone is no answer, and is shown with the next one', async () => {
  const { send, resume } = await ask();
  await send('', part(255));
  const waited = await resume();
  expect(waited).toMatchObject({ code: 3, stdout: '' });
  expect(waited.stderr).toContain('that this version cannot show. It is no answer.');
  await send('Because.');
  const { code, stdout } = await resume('--json');
  expect(code).toBe(0);
  expect(JSON.parse(stdout).answers).toMatchObject([
    { text: '', hasUnknownPart: true },
    { text: 'Because.' },
  ]);
});

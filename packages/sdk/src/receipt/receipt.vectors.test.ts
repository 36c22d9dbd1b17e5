import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { alter } from '../testing/receipts/alterations.ts';
import {
  provenBy,
  type ReceiptVectors,
  renderReceiptVectors,
} from '../testing/receipts/render-receipt-vectors.ts';
import { verifyReceipt } from './index.ts';

/* The cases of docs/receipt-vectors.json, which the Python SDK and examples/verify-receipt.py run too. */

const file = readFileSync(new URL('../../../../docs/receipt-vectors.json', import.meta.url), 'utf8');
const { fingerprint, valid, altered, refused }: ReceiptVectors = JSON.parse(file);
const receipts = new Map(valid.map(({ name, receipt }) => [name, receipt]));
const refusal = (reason: string) => ({ code: 'untrusted', reason });

test.each(valid)('$name', async ({ receipt, proven }) => {
  const found = await verifyReceipt(receipt, { fingerprint });
  expect(JSON.parse(JSON.stringify(provenBy(found)))).toEqual(proven);
  expect(found).toMatchObject({ fingerprint, isKnown: true });
  expect(await verifyReceipt(Buffer.from(receipt), { fingerprint: ['0'.repeat(40), fingerprint] })).toEqual(
    found,
  );
});

test.each(altered)('altered: $name', async (one) => {
  const receipt = alter(receipts.get(one.of) ?? '', one);
  await expect(verifyReceipt(receipt, { fingerprint })).rejects.toMatchObject(refusal(one.error));
});

test.each(refused)('refused: $name', async ({ receipt, error }) => {
  await expect(verifyReceipt(receipt, { fingerprint })).rejects.toMatchObject(refusal(error));
});

test('docs/receipt-vectors.json is up to date (npm run docs renders it)', async () => {
  expect(await renderReceiptVectors()).toBe(file);
});

const approval = receipts.get('approval') ?? '';

test.each([
  ['nothing', ''],
  ['no JSON', 'HS-7KQ2M9XD'],
  ['a list', '[]'],
  ['null', 'null'],
  ['lists in lists', '['.repeat(1_000_000)],
])('%s is no receipt', async (_, text) => {
  await expect(verifyReceipt(text, { fingerprint })).rejects.toMatchObject(refusal('malformed_receipt'));
});

test('without a fingerprint it says that the expert is not known', async () => {
  const { isKnown, notProven } = await verifyReceipt(approval, { fingerprint: undefined });
  expect({ isKnown, first: notProven[0] }).toEqual({
    isKnown: false,
    first: 'Whose fingerprint this is: compare it with the one that the expert sees.',
  });
  await expect(verifyReceipt(approval, { fingerprint: '0'.repeat(40) })).rejects.toMatchObject(
    refusal('unknown_expert'),
  );
  for (const wrong of ['04918', []])
    await expect(verifyReceipt(approval, { fingerprint: wrong })).rejects.toMatchObject({
      code: 'invalid_input',
    });
});

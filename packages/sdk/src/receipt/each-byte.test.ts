import { expect, test } from '@jest/globals';
import { validReceipts } from '../testing/receipts/valid-receipts.ts';
import { verifyReceipt } from './index.ts';

test('a receipt that is altered in any byte is refused', async () => {
  const approval = (await validReceipts()).get('approval') ?? '';
  const { fingerprint } = await verifyReceipt(approval, { fingerprint: undefined });
  const bytes = Buffer.from(approval);
  expect(bytes.length).toBeGreaterThan(2_000);
  for (const at of bytes.keys()) {
    const changed = Uint8Array.from(bytes);
    // A bit of each significance in turn: letters of the other case, other digits, and bytes that are no UTF-8.
    changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
    const outcome = await verifyReceipt(changed, { fingerprint }).catch((error: unknown) => error);
    expect({ at, outcome }).toMatchObject({ at, outcome: { code: 'untrusted', reason: expect.any(String) } });
  }
});

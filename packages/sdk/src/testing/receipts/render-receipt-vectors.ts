import type { VerifiedReceipt } from '../../receipt/verified-receipt.ts';
import { verifyReceipt } from '../../receipt/verify-receipt.ts';
import { RelayError } from '../../relay-error.ts';
import { type Alteration, alter, alterations } from './alterations.ts';
import { type Lie, liesOfAgents } from './lies-of-agents.ts';
import { validReceipts } from './valid-receipts.ts';

/** What a program must find in a receipt. */
export interface Proven
  extends Pick<
    VerifiedReceipt,
    'action' | 'content' | 'comment' | 'decidedAt' | 'askedAt' | 'madeAt' | 'form' | 'answer' | 'asked'
  > {
  /** The text of each message; null where it is not opened. */
  readonly messages: readonly (readonly [from: 'agent' | 'expert', text: string | null])[];
}

export interface ReceiptVectors {
  readonly fingerprint: string;
  readonly valid: readonly { readonly name: string; readonly receipt: string; readonly proven: Proven }[];
  readonly altered: readonly Alteration[];
  readonly refused: readonly Lie[];
}

export function provenBy(receipt: VerifiedReceipt): Proven {
  const { action, content, comment, decidedAt, askedAt, madeAt, form, answer, asked, messages } = receipt;
  return {
    action,
    content,
    comment,
    decidedAt,
    askedAt,
    madeAt,
    form,
    answer,
    asked,
    messages: messages.map(({ from, text = null }) => [from, text]),
  };
}

/** docs/receipt-vectors.json: the same bytes in each run. */
export async function renderReceiptVectors(): Promise<string> {
  const receipts = await validReceipts();
  const { fingerprint } = JSON.parse(receipts.get('approval') ?? '{}');
  const valid: unknown[] = [];
  for (const [name, receipt] of receipts)
    valid.push({ name, receipt, proven: provenBy(await verifyReceipt(receipt, { fingerprint })) });
  const altered = alterations(receipts);
  for (const one of altered) await expectRefusal({ ...one, receipt: alter(receipts.get(one.of) ?? '', one) });
  const refused = await liesOfAgents();
  for (const one of refused) await expectRefusal(one);
  const about = 'Made by `npm run docs`. What the members mean is said in docs/receipts.md, at its end.';
  return `${JSON.stringify({ format: 'expert-relay/v4/receipt', about, fingerprint, valid, altered, refused }, null, 2)}\n`;

  async function expectRefusal({ name, receipt, error }: Lie): Promise<void> {
    const outcome = await verifyReceipt(receipt, { fingerprint }).catch((reason: unknown) => reason);
    if (!RelayError.is(outcome, error as 'no_decision'))
      throw new Error(`"${name}" did not have the expected result.`, { cause: outcome });
  }
}

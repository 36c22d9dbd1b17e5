import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { RelayError } from '@expert-relay/sdk';
import { verifyReceipt } from '@expert-relay/sdk/receipt';
import { defineCommand } from '../arguments/command.ts';
import { exitCodes } from '../exit-codes.ts';
import { Failure } from '../failure.ts';
import { receiptToJson, showReceipt } from '../messages/receipt-view.ts';

export const verify = defineCommand({
  name: 'verify',
  summary: 'checks a receipt, without the relay: exit code 0 only when it proves an acceptance',
  usage: ['FILE [--fingerprint "04918 ..."]'],
  about:
    'Says who decided what, about which question, and what is not proven. 0 means that the expert with this fingerprint has accepted, 13 declined, 7 that the receipt is refused, with the reason. Without a fingerprint (RELAY_EXPERT or --fingerprint) it is not known whose decision it is: 16. That it is about your question is for you to see: read it, or compare it in the JSON. The command calls nothing, and needs no key.',
  options: {
    fingerprint: {
      value: 'DIGITS',
      help: 'the fingerprint that the expert must have, as the expert sees it with `relay keys`; by default RELAY_EXPERT',
    },
    json: { help: 'one JSON object' },
  },
  examples: [
    'relay verify decision.json --fingerprint "04918 22734 ..."',
    'relay verify decision.json --json',
  ],
  words: [1, 1],
  startsWithWrongSettings: true,
  async run({ config, folder, out }, { options: { fingerprint: typed, json }, words: [path = ''] }) {
    // Of the settings only RELAY_EXPERT counts here.
    if (
      typed === undefined &&
      config.expert === undefined &&
      config.wrong?.message.startsWith('RELAY_EXPERT')
    )
      throw config.wrong;
    const receipt = await verifyReceipt(readReceipt(resolve(folder, path), path), {
      fingerprint: typed ?? config.expert,
    }).catch(explain);
    const decided = receipt.action === 'accept' ? 'done' : 'declined';
    const outcome = receipt.isKnown ? decided : 'unidentified';
    if (json) out.line(JSON.stringify({ outcome, exit: exitCodes[outcome].code, ...receiptToJson(receipt) }));
    else showReceipt(out, receipt);
    return outcome;
  },
});

/** The sentences of other commands say what to do about a conversation. */
function explain(error: unknown): never {
  if (!RelayError.is(error, 'untrusted')) throw error;
  const { message, code, reason } = error;
  throw new Failure('untrusted', message, { code, reason, cause: error });
}

function readReceipt(path: string, name: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (error) {
    const why =
      (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'there is no such file' : 'it cannot be read';
    throw new Failure('usage', `${name}: ${why}.`);
  }
}

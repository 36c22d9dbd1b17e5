import { checkOptions } from '../client-options.ts';
import { toBase64 } from '../crypto/base64.ts';
import { formatFingerprint, parseFingerprint } from '../crypto/fingerprint.ts';
import { type ConversationKeys, checkExchange, refuseOwnKeys } from '../crypto/key-exchange.ts';
import { type PublicKey, publicKey } from '../crypto/public-key.ts';
import { digestSubmission } from '../crypto/submission.ts';
import { isSignedBy } from '../crypto/verify-signature.ts';
import { invalidInput, RelayError } from '../relay-error.ts';
import { openMessages } from './open-messages.ts';
import { readDecision } from './read-decision.ts';
import { bytesOf, type ReceiptFile, readReceiptFile, refused, signedReceipt } from './receipt-file.ts';
import { describeReceipt, type VerifiedReceipt } from './verified-receipt.ts';

/**
 * Checks a receipt, without any call. What it proves, and what not, is in docs/receipts.md.
 *
 * @throws RelayError `untrusted` with the reason why the receipt proves nothing: `malformed_receipt`, `receipt_not_canonical`,
 * `unknown_expert`, `key_signature_wrong`, `question_altered`, `wrong_signature`, `undecryptable`, `malformed_frame`,
 * `message_missing`, `no_decision` or `receipt_signature_wrong`.
 *
 * @example
 * const receipt = await verifyReceipt(await readFile('decision.json'), { fingerprint: '04918 22734 ...' });
 * if (receipt.action === 'accept') console.log(`${receipt.fingerprint} has accepted: ${receipt.asked.question}`);
 */
export async function verifyReceipt(
  /** The file as it is: its bytes, or their text. */
  receipt: string | Uint8Array,
  options: {
    /**
     * The fingerprint that the expert must have, or several of which it must have one. With undefined, any expert may have decided: then
     * compare `fingerprint` of the result.
     */
    readonly fingerprint: string | readonly string[] | undefined;
  },
): Promise<VerifiedReceipt> {
  const { fingerprint } = checkOptions(options, 'fingerprint');
  const known = readKnown(fingerprint);
  const file = readReceiptFile(receipt);
  const keys = readKeys(file);
  const submissionDigest = await digestSubmission({ ...file.asked, refCode: file.refCode });
  await checkExpert(file, keys, submissionDigest, known);
  const messages = await openMessages(file, keys, submissionDigest);
  const decision = readDecision(file, messages, toBase64(submissionDigest));
  if (!(await isSignedBy(keys.consumer.sign, bytesOf(file.signature), signedReceipt(file))))
    throw refused('receipt_signature_wrong', 'the agent has not signed this file as it is now.');
  return describeReceipt(file, messages, decision, known.length > 0);
}

function readKnown(fingerprint: string | readonly string[] | undefined): readonly string[] {
  if (fingerprint === undefined) return [];
  const given = typeof fingerprint === 'string' ? [fingerprint] : fingerprint;
  if (given.length === 0)
    throw invalidInput('`fingerprint` is an empty list: any expert would do. Give at least one.');
  return given.map(parseFingerprint);
}

function readKeys(file: ReceiptFile): ConversationKeys {
  const read = (raw: string, kind: PublicKey['kind']) => publicKey(bytesOf(raw), kind);
  try {
    const consumer = {
      sign: read(file.consumerSignPubKey, 'sign'),
      encrypt: read(file.consumerEncryptPubKey, 'encrypt'),
    };
    const provider = {
      sign: read(file.providerSignPubKey, 'sign'),
      encrypt: read(file.providerEncryptPubKey, 'encrypt'),
    };
    refuseOwnKeys(consumer, provider);
    return { consumer, provider };
  } catch {
    throw refused('malformed_receipt', 'its public keys protect nothing.');
  }
}

async function checkExpert(
  { requestId, keySignature, fingerprint }: ReceiptFile,
  { consumer, provider }: ConversationKeys,
  submission: Uint8Array<ArrayBuffer>,
  known: readonly string[],
): Promise<void> {
  const own = await formatFingerprint(provider.sign);
  if (fingerprint !== own)
    throw refused('unknown_expert', `it names another fingerprint than that of its key, ${own}.`);
  const exchange = {
    providerSignPubKey: provider.sign.pem,
    providerEncryptPubKey: provider.encrypt.pem,
    keySignature,
  };
  await checkExchange({ requestId, own: consumer, exchange, submission, known }).catch((error: unknown) => {
    throw RelayError.is(error, 'untrusted', 'unsupported_version') ? explain(error) : error;
  });
}

function explain({ reason, message }: RelayError): RelayError {
  switch (reason) {
    case 'unknown_expert':
      return refused(reason, message.replace(/ Nothing was sent.*/s, ''));
    case 'question_altered':
      return refused(reason, 'the expert was shown another question.');
    default:
      return refused('key_signature_wrong', 'the expert has not signed these keys.');
  }
}

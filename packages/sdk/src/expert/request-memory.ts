import type { PublicKeys } from '../crypto/key-exchange.ts';
import { keysChanged, questionAltered } from '../crypto/key-exchange.ts';
import { parsePublicKey } from '../crypto/public-key.ts';
import { refusal } from '../crypto/refusal.ts';
import type { Values } from '../store.ts';
import type { Head, Pair } from '../thread/page.ts';
import { digestQuestion } from './question.ts';

/** What never changes of a request, from the first time that it was shown. */
export interface FirstVersion {
  readonly requestId: string;
  /** The agent's keys as PEM; null when the agent sent none. */
  readonly keys: Pair | null;
  /** The digest of the question and its code, base64. It keeps the name that memories have. */
  readonly submission: string;
}

/** What is remembered of a request that was opened. */
export interface Remembered extends FirstVersion {
  /** After the pick-up: of the messages that the relay has listed or accepted, those to which no other message links. */
  readonly ends?: readonly string[] | undefined;
}

/**
 * What an expert remembers of requests. Each has a value under its code, since people read a question and answer it
 * later by its code, and once it was opened one under its id.
 */
export interface RequestMemory {
  /** Compares a request with what was shown before, and remembers it: before any of it is shown. */
  check(request: UncheckedRequest): Promise<FirstVersion>;
  recall(requestId: string): Promise<Remembered | undefined>;
  /** Returns the first value of this request. */
  remember(shown: FirstVersion): Promise<FirstVersion>;
  /** Replaces the ends by what `change` makes of those that are stored. Two clients at the same time lose none. */
  changeEnds(requestId: string, change: (stored: readonly string[]) => readonly string[]): Promise<void>;
}

/** What the relay states of a request. */
type UncheckedRequest = Pick<Head, 'requestId' | 'refCode' | 'consumerKeys' | 'asked'>;

export function createRequestMemory(values: Values): RequestMemory {
  /** How each request was shown, whatever its code is now. A list does not store it, since one write for each request is enough. */
  const versions = new Map<string, FirstVersion>();
  /** The newest version of the ends that is known, by request. */
  const numbers = new Map<string, number>();
  const nameOf = (requestId: string) => `request:${requestId}`;
  const nameOfEnds = (requestId: string, number: number) => `ends:${requestId}:${number}`;
  const read = (json: string): FirstVersion => JSON.parse(json);

  /** The versions are numbered from 0, and the first write of a number counts. */
  async function newestEnds(requestId: string) {
    let number = numbers.get(requestId) ?? -1;
    let json = number < 0 ? undefined : await values.get(nameOfEnds(requestId, number));
    for (let [step, grows] = [1, true]; step > 0; step = grows ? step * 2 : step >> 1) {
      const next = await values.get(nameOfEnds(requestId, number + step));
      if (next === undefined) grows = false;
      else [number, json] = [number + step, next];
    }
    numbers.set(requestId, number);
    const ends: readonly string[] | undefined = json === undefined ? undefined : JSON.parse(json);
    return { number, ends };
  }

  async function recall(requestId: string): Promise<Remembered | undefined> {
    const kept = await values.get(nameOf(requestId));
    return kept === undefined ? undefined : { ...read(kept), ends: (await newestEnds(requestId)).ends };
  }

  return {
    recall,
    async check(request) {
      const { requestId } = request;
      const shown = await firstVersionOf(request);
      compareWithFirst(versions.get(requestId) ?? shown, shown);
      const name = `code:${normalizeCode(request.refCode)}`;
      let first = await values.get(name);
      if (first === undefined) {
        const opened = await recall(requestId);
        if (opened) compareWithFirst(opened, shown);
        first = await values.remember(name, JSON.stringify(shown));
      }
      const known = read(first);
      if (known.requestId !== requestId) throw codeChanged(request.refCode);
      compareWithFirst(known, shown);
      // Another check may have ended in the meantime.
      compareWithFirst(versions.get(requestId) ?? shown, shown);
      versions.set(requestId, shown);
      return shown;
    },
    remember: async (shown) => read(await values.remember(nameOf(shown.requestId), JSON.stringify(shown))),
    async changeEnds(requestId, change) {
      for (;;) {
        const { number, ends = [] } = await newestEnds(requestId);
        const json = JSON.stringify(change(ends));
        if ((await values.remember(nameOfEnds(requestId, number + 1), json)) === json) return;
      }
    },
  };
}

/** @throws RelayError `keys_changed`, `question_altered` */
export function compareWithFirst(first: FirstVersion, now: FirstVersion): void {
  if (first.keys?.sign !== now.keys?.sign || first.keys?.encrypt !== now.keys?.encrypt) throw keysChanged();
  if (first.submission !== now.submission) throw questionAltered();
}

export async function firstVersionOf(request: UncheckedRequest): Promise<FirstVersion> {
  const { requestId, consumerKeys } = request;
  const peer = consumerKeys && parsePair(consumerKeys);
  const keys = peer ? { sign: peer.sign.pem, encrypt: peer.encrypt.pem } : null;
  return { requestId, keys, submission: await digestQuestion(request) };
}

export const parsePair = ({ sign, encrypt }: Pair): PublicKeys => ({
  sign: parsePublicKey(sign, 'sign'),
  encrypt: parsePublicKey(encrypt, 'encrypt'),
});

/** People write codes in upper or lower case, without `HS-`, and with letters for 0 and 1. */
export const normalizeCode = (refCode: string): string =>
  refCode.toUpperCase().replace(/^HS-/, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1');

const codeChanged = (refCode: string) =>
  refusal(
    'question_altered',
    `Another question was shown under ${refCode} before, or this one under another code.`,
  );

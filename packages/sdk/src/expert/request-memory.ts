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

/** What the relay states of a request. */
type UncheckedRequest = Pick<Head, 'requestId' | 'refCode' | 'consumerKeys' | 'asked'>;

/**
 * What an expert remembers of requests. Each has a value under its code, since people read a question and answer it
 * later by its code, and once it was opened one under its id.
 */
export class RequestMemory {
  readonly #values: Values;
  /** How each request was shown, and under which name that is stored. What a store remembers never changes, so it is read once. */
  readonly #checked = new Map<string, { readonly name: string; readonly shown: FirstVersion }>();
  /** The newest version of the ends that is known, by request. */
  readonly #numbers = new Map<string, number>();

  constructor(values: Values) {
    this.#values = values;
  }

  /** Compares a request with what was shown before, and remembers it: before any of it is shown. */
  async check(request: UncheckedRequest): Promise<FirstVersion> {
    const { requestId, refCode } = request;
    const shown = await firstVersionOf(request);
    const name = `code:${normalizeCode(refCode)}`;
    const checked = this.#checked.get(requestId);
    if (checked) compareWithFirst(checked.shown, shown);
    if (checked?.name === name) return shown;
    let first = await this.#values.get(name);
    if (first === undefined) {
      const opened = await this.recall(requestId);
      if (opened) compareWithFirst(opened, shown);
      first = await this.#values.remember(name, JSON.stringify(shown));
    }
    const known: FirstVersion = JSON.parse(first);
    if (known.requestId !== requestId) throw codeChanged(refCode);
    compareWithFirst(known, shown);
    // Another check may have ended in the meantime.
    compareWithFirst(this.#checked.get(requestId)?.shown ?? shown, shown);
    this.#checked.set(requestId, { name, shown });
    return shown;
  }

  async recall(requestId: string): Promise<Remembered | undefined> {
    const kept = await this.#values.get(nameOf(requestId));
    if (kept === undefined) return undefined;
    return { ...JSON.parse(kept), ends: (await this.#newestEnds(requestId)).ends };
  }

  /** Returns the first value of this request. */
  async remember(shown: FirstVersion): Promise<FirstVersion> {
    return JSON.parse(await this.#values.remember(nameOf(shown.requestId), JSON.stringify(shown)));
  }

  /** Replaces the ends by what `change` makes of those that are stored. Two clients at the same time lose none. */
  async changeEnds(
    requestId: string,
    change: (stored: readonly string[]) => readonly string[],
  ): Promise<void> {
    for (;;) {
      const { number, ends = [] } = await this.#newestEnds(requestId);
      const json = JSON.stringify(change(ends));
      if ((await this.#values.remember(nameOfEnds(requestId, number + 1), json)) === json) return;
    }
  }

  /** The versions are numbered from 0, and the first write of a number counts. */
  async #newestEnds(requestId: string): Promise<{ number: number; ends: readonly string[] | undefined }> {
    let number = this.#numbers.get(requestId) ?? -1;
    let json = number < 0 ? undefined : await this.#values.get(nameOfEnds(requestId, number));
    for (let [step, grows] = [1, true]; step > 0; step = grows ? step * 2 : step >> 1) {
      const next = await this.#values.get(nameOfEnds(requestId, number + step));
      if (next === undefined) grows = false;
      else [number, json] = [number + step, next];
    }
    this.#numbers.set(requestId, number);
    return { number, ends: json === undefined ? undefined : JSON.parse(json) };
  }
}

const nameOf = (requestId: string) => `request:${requestId}`;
const nameOfEnds = (requestId: string, number: number) => `ends:${requestId}:${number}`;

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

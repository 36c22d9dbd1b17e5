import { z } from 'zod';
import { Failure } from '../failure.ts';
import { describeTime } from '../terminal/describe-duration.ts';
import type { Access } from './require-relay.ts';

/** A call that the SDK does not offer: the vault, and the lists for `relay show`. */
export interface RelayCall {
  method?: 'GET' | 'PUT' | 'POST';
  path: string;
  body?: unknown;
  ifMatch?: string | undefined;
  signal: AbortSignal;
  /** The limit for the answer. */
  mebibytes?: number;
}

export interface RelayAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly etag: string | undefined;
}

const timeoutMs = 30_000;

/** Throws a Failure when the relay is not reachable, is busy, or refuses the key. The caller handles other answers. */
export async function callRelay({ url, apiKey }: Access, call: RelayCall): Promise<RelayAnswer> {
  const { method = 'GET', path, body, ifMatch, signal, mebibytes } = call;
  try {
    const answer = await fetch(url + path, {
      method,
      headers: {
        'x-api-key': apiKey,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(ifMatch && { 'if-match': ifMatch }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    const { status, headers } = answer;
    const answerBody = await readAnswer(answer, mebibytes).catch((error: unknown) => {
      // Such a status is clear without a body.
      if (!isRefusal(status) || !isTooLarge(error)) throw error;
    });
    const refusal = refusalOf(answer, answerBody, url);
    if (refusal) throw refusal;
    return { status, body: answerBody, etag: headers.get('etag') ?? undefined };
  } catch (error) {
    if (error instanceof Failure) throw error;
    signal.throwIfAborted();
    throw new Failure('unreachable', `The relay at ${url} does not answer.`, {
      hint: 'See what is wrong: relay doctor',
      cause: error,
    });
  }
}

const isRefusal = (status: number): boolean => [401, 403, 429].includes(status) || status >= 500;

function refusalOf({ status, headers }: Response, body: unknown, url: string): Failure | undefined {
  if (status === 401 || status === 403) {
    const sentence = `The relay does not accept this key: it was revoked, or belongs to another relay. Set RELAY_API_KEY again.`;
    return new Failure('refused', `${quoteProblem(status, body)} ${sentence}`.trim());
  }
  if (status === 429) {
    const seconds = Number(headers.get('retry-after')) || 60;
    const sentence = `Too many calls came from this address (${status}). Try again after ${describeTime(Date.now() + seconds * 1_000)}.`;
    return new Failure('unreachable', `${quoteProblem(status, body)} ${sentence}`.trim(), {
      code: 'rate_limited',
    });
  }
  if (status >= 500) {
    const sentence = `The relay at ${url} is too busy (${status}). Try again in a minute.`;
    return new Failure('unreachable', `${quoteProblem(status, body)} ${sentence}`.trim());
  }
  return undefined;
}

const problem = z.object({ title: z.string(), detail: z.string().optional() });
const longest = 500;

/** The relay's own text for an error, quoted on one line; empty when there is none. */
export function quoteProblem(status: number, body: unknown): string {
  const { data } = problem.safeParse(body);
  if (!data) return '';
  const text = `${data.title}. ${data.detail ?? ''}`
    // A terminal or a model may read it.
    .replaceAll(/["\s\p{C}\p{Z}]+/gu, ' ')
    .slice(0, longest)
    .trim();
  return `The relay says: "${text}" (HTTP ${status})`;
}

const mebibyte = 2 ** 20;

export const isTooLarge = (error: unknown): boolean =>
  error instanceof Failure && error.code === 'answer_too_large';

/**
 * Reads JSON; undefined when it is not JSON. The limit counts bytes after decompression: a few kilobytes of gzip can
 * hold gigabytes.
 */
export async function readAnswer(answer: Response, mebibytes = 1): Promise<unknown> {
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for await (const piece of answer.body ?? []) {
    size += piece.length;
    // Leaving the loop cancels the body, which ends the connection.
    if (size > mebibytes * mebibyte) {
      throw new Failure(
        'failed',
        `The answer is not a relay's: it is longer than ${mebibytes} MiB. Check RELAY_URL, and any proxy on the way.`,
        { code: 'answer_too_large' },
      );
    }
    text += decoder.decode(piece, { stream: true });
  }
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

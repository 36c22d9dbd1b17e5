import * as z from 'zod';
import { Failure, unreachable } from '../failure.ts';
import { describeTime } from '../terminal/describe-duration.ts';
import { type FetchedAnswer, fetchAnswer } from './fetch-answer.ts';
import type { Access } from './require-relay.ts';
import { timing } from './timing.ts';

/** A call that the SDK does not have: closing a conversation that is kept elsewhere, and webhooks. */
export interface RelayCall {
  method?: 'GET' | 'POST' | 'DELETE';
  path: string;
  body?: unknown;
  signal: AbortSignal;
}

export interface RelayAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Throws a Failure when the relay is not reachable, is busy, or refuses the key. The caller handles other answers. */
export async function callRelay({ url, apiKey }: Access, call: RelayCall): Promise<RelayAnswer> {
  const { method = 'GET', path, body, signal } = call;
  const init: RequestInit = {
    method,
    headers: {
      'x-api-key': apiKey,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    redirect: 'error',
  };
  const answer = await fetchAnswer(url + path, init, { timeoutMs: timing.callMs, signal }).catch(
    (cause: unknown) => {
      signal.throwIfAborted();
      throw unreachable(`The relay at ${url} does not answer.`, {
        hint: 'See what is wrong: relay doctor',
        cause,
      });
    },
  );
  const refusal = refusalOf(answer, url);
  if (refusal) throw refusal;
  return { status: answer.response.status, body: answer.body };
}

function refusalOf({ response: { status, headers }, body }: FetchedAnswer, url: string): Failure | undefined {
  const withProblem = (sentence: string) => `${describeProblem(status, body)} ${sentence}`.trim();
  if (status === 401 || status === 403) {
    const sentence =
      'The relay does not accept this key: it was revoked, or belongs to another relay. Set RELAY_API_KEY again, or store a new one: relay login';
    return new Failure('refused', withProblem(sentence));
  }
  if (status === 429) {
    const seconds = Number(headers.get('retry-after')) || 60;
    const sentence = `Too many calls came from this address (${status}). Try again after ${describeTime(Date.now() + seconds * 1_000)}.`;
    return unreachable(withProblem(sentence), { reason: 'rate_limited' });
  }
  if (status < 500) return undefined;
  const sentence = `The relay at ${url} is too busy (${status}). Try again in a minute.`;
  return unreachable(withProblem(sentence));
}

const text = z.string().optional().catch(undefined);
const problem = z.object({
  title: text,
  detail: text,
  fields: z
    .array(z.object({ path: z.string(), message: z.string() }))
    .optional()
    .catch(undefined),
});

/** What the relay says about an error, on one line and with its status; empty when it says nothing. */
export function describeProblem(status: number, body: unknown): string {
  const { title, detail, fields = [] } = problem.safeParse(body).data ?? {};
  const texts = [title && `${title}.`, detail, ...fields.map(({ path, message }) => `${path}: ${message}`)];
  const quoted = texts
    .filter(Boolean)
    .join(' ')
    .replaceAll(/["\p{C}\p{Z}]+/gu, ' ')
    .slice(0, 500)
    .trim();
  return quoted && `The relay says: "${quoted}" (HTTP ${status})`;
}

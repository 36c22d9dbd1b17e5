import { readAnswer } from '../../relay/read-answer.ts';
import { causeOf } from './cause-of.ts';

const patience = 10_000;

interface LookOptions {
  signal: AbortSignal;
  headers?: Record<string, string>;
}

/** What an address answers, or why it does not. */
export type Look = { status: number; body: unknown } | { trouble: string; next: string };

export async function look(url: string, { signal, headers = {} }: LookOptions): Promise<Look> {
  try {
    const answer = await fetch(url, {
      headers,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(patience)]),
    });
    return { status: answer.status, body: await readAnswer(answer).catch(() => undefined) };
  } catch (error) {
    signal.throwIfAborted();
    return causeOf(error);
  }
}

import { causeOf } from './cause-of.ts';
import { isTooLarge, readAnswer } from './read-answer.ts';

const defaultPatience = 10_000;

interface LookOptions {
  signal: AbortSignal;
  /** In milliseconds. */
  patience?: number;
}

/** What an address answers, or why it does not. */
export type Look = { status: number; body: unknown; isTooLarge: boolean } | { trouble: string; next: string };

export async function look(url: string, { signal, patience = defaultPatience }: LookOptions): Promise<Look> {
  try {
    const answer = await fetch(url, {
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(patience)]),
    });
    const { status } = answer;
    return await readAnswer(answer).then(
      (body) => ({ status, body, isTooLarge: false }),
      (error) => ({ status, body: undefined, isTooLarge: isTooLarge(error) }),
    );
  } catch (error) {
    signal.throwIfAborted();
    return causeOf(error);
  }
}

import type { FormAnswer } from '../forms/form-answer.ts';
import { invalidInput, RelayError } from '../relay-error.ts';

/** Clocks may differ by this much. */
const maxAheadMs = 120_000;

interface Aging {
  readonly answer: FormAnswer;
  /** When this agent had sealed the newest message that the answer has seen. The relay cannot change it. */
  readonly sealedBefore: number | undefined;
}

/** Why an answer is too old to act on, or from the future. A decline stays one. */
export function ageError(
  { answer: { action, decidedAt }, sealedBefore = 0 }: Aging,
  validForMs: number | undefined,
): RelayError | undefined {
  if (validForMs === undefined || action === 'decline') return undefined;
  const decided = Date.parse(decidedAt);
  const now = Date.now();
  if (decided - now > maxAheadMs) return tooOld(decidedAt, 'that is more than two minutes ahead');
  if (now - Math.max(decided, sealedBefore) <= validForMs) return undefined;
  return tooOld(decidedAt, `that is longer ago than ${validForMs / 1_000} s`);
}

const tooOld = (decidedAt: string, why: string) =>
  new RelayError(
    'decision_too_old',
    `The expert accepted at ${decidedAt} by the clock of their device: ${why}. It does not count, and is no decline: ask again.`,
  );

export function checkValidFor(validForMs: number | undefined): void {
  if (validForMs !== undefined && !(validForMs > 0))
    throw invalidInput('`validForMs` is a number of milliseconds above 0.');
}

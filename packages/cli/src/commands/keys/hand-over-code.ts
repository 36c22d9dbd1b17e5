import { parseRecoveryCode } from '@expert-relay/sdk/crypto';
import type { Context } from '../../context.ts';
import { Failure } from '../../failure.ts';

const tries = 3;

/** Shows a recovery code once. In a terminal it must be typed back, before anything depends on it. */
export async function handOverCode({ input, out, err }: Context, code: string): Promise<void> {
  err.paragraph('The recovery code, shown this once. Keep it where you keep passwords:');
  err.line();
  out.line(code);
  err.line();
  if (!input.isTerminal || !out.isTerminal) return;
  const expected = await parseRecoveryCode(code);
  for (let left = tries; left > 0; left -= 1) {
    const typed = await input.readLine('Type it back: ');
    if (typed === undefined) break;
    const read = await parseRecoveryCode(typed).catch(() => undefined);
    if (read === expected) return;
    if (left > 1) err.paragraph('That is another one. Compare it letter by letter.');
  }
  throw new Failure(
    'usage',
    'The code was not typed back, so nothing was changed. Start again when you can keep it.',
  );
}

import { loadFormatting } from '../text/agent-text.tsx';

/** Loads what reading the question does not need: after the code that formats it, so that the two do not compete. */
export async function loadAfterQuestion() {
  await loadFormatting();
  return import('./after-question.ts');
}

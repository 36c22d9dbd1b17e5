import type { ExpertRequest, PendingAnswer } from '../expert/index.ts';

/** The texts of the answers that were not sent, all or those in one state. */
export const pendingTexts = (
  { pending }: Pick<ExpertRequest, 'pending'>,
  only?: PendingAnswer['state'],
): string[] => pending.flatMap(({ text, state }) => (only === undefined || state === only ? text : []));

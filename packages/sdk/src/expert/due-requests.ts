import { hasEnded } from '../request-state.ts';
import { isOutage } from '../thread/refresher.ts';
import type { RequestsOptions } from './expert.ts';
import type { ExpertRequest } from './expert-request.ts';

/** Which requests are returned to a program that answers: each once it is complete, and again when it is reopened. */
export interface DueRequests {
  /** Whether it need not be read: the program does not want it, or gets its messages in a loop. */
  isSkipped(requestId: string): boolean;
  /** Picks a request up if its agent has announced more. */
  isDue(request: ExpertRequest): Promise<boolean>;
}

export function createDueRequests(
  filter: RequestsOptions['filter'] = () => true,
  looped: readonly ExpertRequest[],
): DueRequests {
  /** What the filter has returned. */
  const wanted = new Map<string, boolean>();
  /** The newest message of the agent when a request was returned; empty without one. */
  const returned = new Map<string, string>();

  async function isComplete(request: ExpertRequest): Promise<boolean> {
    if (!request.missingParts) return true;
    try {
      await request.pickUp();
    } catch (error) {
      if (isOutage(error)) throw error;
      // Without a root, or with the keys of another expert: the program learns why when it answers.
      return true;
    }
    return !request.missingParts;
  }

  return {
    isSkipped: (requestId) =>
      wanted.get(requestId) === false || looped.some((request) => request.requestId === requestId),
    async isDue(request) {
      const { requestId } = request;
      if (hasEnded(request)) return false;
      if (!wanted.has(requestId)) wanted.set(requestId, await filter(request));
      if (!wanted.get(requestId) || !(await isComplete(request))) return false;
      if (!request.missingParts && !request.refused) await request.receive();
      const before = returned.get(requestId);
      const newest = request.received.at(-1)?.messageId ?? '';
      if (before !== undefined && (before === newest || !request.isReopened)) return false;
      returned.set(requestId, newest);
      return true;
    },
  };
}

import { hasEnded } from '../request-state.ts';
import { isOutage } from '../thread/refresher.ts';
import type { RequestsOptions } from './expert.ts';
import type { ExpertRequest } from './expert-request.ts';

/** Which requests are returned to a program that answers: each once it is complete, and again when it is reopened. */
export class DueRequests {
  readonly #filter: NonNullable<RequestsOptions['filter']>;
  readonly #looped: readonly ExpertRequest[];
  /** What the filter has returned. */
  readonly #wanted = new Map<string, boolean>();
  /** The newest message of the agent when a request was returned; empty without one. */
  readonly #returned = new Map<string, string>();

  constructor(filter: RequestsOptions['filter'] = () => true, looped: readonly ExpertRequest[]) {
    this.#filter = filter;
    this.#looped = looped;
  }

  /** Whether it need not be read: the program does not want it, or gets its messages in a loop. */
  isSkipped(requestId: string): boolean {
    const isLooped = this.#looped.some((request) => request.requestId === requestId);
    return isLooped || this.#wanted.get(requestId) === false;
  }

  /** Picks a request up if its agent has announced more. */
  async isDue(request: ExpertRequest): Promise<boolean> {
    const { requestId } = request;
    if (hasEnded(request)) return false;
    const filter = this.#filter;
    if (!this.#wanted.has(requestId)) this.#wanted.set(requestId, await filter(request));
    if (!this.#wanted.get(requestId) || !(await isComplete(request))) return false;
    if (!request.missingParts && !request.refused) await request.receive();
    const before = this.#returned.get(requestId);
    const newest = request.received.at(-1)?.messageId ?? '';
    if (before !== undefined && (before === newest || !request.isReopened)) return false;
    this.#returned.set(requestId, newest);
    return true;
  }
}

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

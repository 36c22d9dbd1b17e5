import type { ExpertRequest } from '@expert-relay/sdk/expert';
import type { Context } from '../../context.ts';
import type { Outcome } from '../../exit-codes.ts';
import { explainError } from '../../explain-error.ts';
import { openExpert } from '../../relay/open-expert.ts';
import { readPresent } from '../../relay/read-present.ts';
import { type News, showNews } from './inbox.ts';

export interface ExpertListening {
  /** Of this request alone. */
  refCode: string | undefined;
  json: boolean;
  picksUp: boolean;
}

/** Requests and what agents say in them, as they come. */
export async function listenAsExpert(
  context: Context,
  { refCode, json, picksUp }: ExpertListening,
): Promise<Outcome> {
  const { signal, err } = context;
  const { access, expert, name, hasKeys } = await openExpert(context, { instead: '' });
  const tell = (news: News) => showNews(context, news, json);
  err.paragraph(`Listening as ${err.shown(name)} at ${access.url}. Ctrl-C ends it.`, { style: 'dim' });
  if (!hasKeys)
    err.paragraph('This machine has no keys: only plain text can be read and written. See: relay keys', {
      style: 'yellow',
    });
  err.line();

  async function attend(request: ExpertRequest): Promise<void> {
    tell(describeRequest(request));
    if (picksUp && hasKeys && request.encrypted && !request.isPickedUp) await request.pickUp({ signal });
    await follow(context, request, tell);
  }
  try {
    if (refCode !== undefined) {
      await attend(await expert.request(refCode, { signal }));
      return 'done';
    }
    const attended: Promise<void>[] = [];
    for await (const request of expert.requests({ signal })) {
      // Each goes its own way: what is wrong with one ends none of the others.
      const failed = (error: unknown) => {
        if (!signal.aborted) tell(describeRefusal(request, error, signal));
      };
      attended.push(attend(request).catch(failed));
    }
    await Promise.all(attended);
    return 'done';
  } finally {
    expert.stop();
  }
}

function describeRequest(request: ExpertRequest): News {
  const { refCode, requestId, createdAt, expiresAt, status, question, plaintext, context, encrypted } =
    request;
  const about = { refCode, requestId, createdAt, expiresAt, status, context, encrypted };
  return { type: 'request', ...about, question: question || (plaintext ?? '') };
}

/** What was said before is a `relay show` away; what the agent says from now on is news. */
async function follow(
  { signal }: Context,
  request: ExpertRequest,
  tell: (news: News) => void,
): Promise<void> {
  const { refCode, requestId } = request;
  const { refused } =
    request.isPickedUp || !request.encrypted ? await readPresent(request, signal) : { refused: undefined };
  if (refused) throw refused;
  for await (const { role, ...message } of request.messages) {
    if (role === 'consumer') tell({ type: 'message', refCode, requestId, ...message });
  }
  tell({ type: 'ended', refCode, requestId, status: request.status });
}

function describeRefusal({ refCode, requestId }: ExpertRequest, error: unknown, signal: AbortSignal): News {
  const { code, message } = explainError(error, signal);
  return { type: 'refused', refCode, requestId, code, message };
}

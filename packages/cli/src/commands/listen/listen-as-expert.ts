import type { ExpertRequest } from '@expert-relay/sdk/expert';
import type { Context } from '../../context.ts';
import type { Outcome } from '../../exit-codes.ts';
import { connectExpert } from '../../relay/connect-expert.ts';
import { markWritten } from '../../relay/mark-written.ts';
import { readCurrentMessages } from '../../relay/read-current-messages.ts';
import { mayBeShown } from '../../relay/request-state.ts';
import { describeRequest, type News, showNews } from './show-news.ts';
import { watchRequests } from './watch-requests.ts';

export interface ExpertListening {
  /** Only this request. */
  refCode: string | undefined;
  json: boolean;
  picksUp: boolean;
}

/** Shows requests and the agents' messages, as they come. */
export async function listenAsExpert(
  context: Context,
  { refCode, json, picksUp }: ExpertListening,
): Promise<Outcome> {
  const { signal, err } = context;
  const connection = await connectExpert(context, { instead: '' });
  const { access, expert, outages, name, hasKeys } = connection;
  const show = async (news: News) => {
    showNews(context, news, json);
    if (news.type === 'request') await markWritten(context, expert, { ...news, messages: [] });
    if (news.type === 'message') await markWritten(context, expert, { ...news, messages: [news] });
  };
  err.paragraph(`Listening as ${err.shown(name)} at ${access.url}. Ctrl-C ends it.`, { style: 'dim' });
  if (!hasKeys)
    err.paragraph('This machine has no keys: only plain text can be read and sent. See: relay keys', {
      style: 'yellow',
    });
  err.line();
  const stop = () => expert.stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    if (refCode === undefined) await watchRequests(context, connection, { show, picksUp });
    else {
      const request = await expert.request(refCode, { signal });
      if (mayBeShown(request)) await show(describeRequest(request));
      if (picksUp && hasKeys && request.encrypted && !request.isPickedUp) await request.pickUp({ signal });
      await follow(context, request, show);
    }
    return 'done';
  } finally {
    signal.removeEventListener('abort', stop);
    outages.stop();
    expert.stop();
  }
}

/** Shows the agent's new messages. `relay show` shows the earlier ones. */
async function follow(
  { signal }: Context,
  request: ExpertRequest,
  show: (news: News) => Promise<void>,
): Promise<void> {
  const { refCode, requestId } = request;
  const { refused } =
    request.isPickedUp || !request.encrypted
      ? await readCurrentMessages(request, signal)
      : { refused: undefined };
  if (refused) throw refused;
  for await (const { from, ...message } of request.messages) {
    if (from === 'agent') await show({ type: 'message', refCode, requestId, ...message });
  }
  const { status, closedBy, closeReason } = request;
  await show({ type: 'ended', refCode, requestId, status, closedBy, closeReason });
}

import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { ServerNotification, ServerRequest } from '@modelcontextprotocol/sdk/types.js';

/** Clients that ask for progress take silence for a server that hangs. */
const everyMs = 5_000;

type Call = Pick<RequestHandlerExtra<ServerRequest, ServerNotification>, '_meta' | 'sendNotification'>;

/** Reports how long a call has taken, if its client has asked for that. Gives what ends it. */
export function reportProgress(
  { _meta, sendNotification }: Call,
  { total, message }: { total: number; message: () => string },
): () => void {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return () => {};
  let progress = 0;
  const report = () => {
    const params = { progressToken, progress, total, message: message() };
    progress += everyMs / 1_000;
    // A client that is gone ends the server otherwise.
    sendNotification({ method: 'notifications/progress', params }).catch(() => {});
  };
  report();
  const timer = setInterval(report, everyMs);
  return () => clearInterval(timer);
}

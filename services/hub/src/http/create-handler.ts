import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Log } from '@expert-relay/kit/log';
import { Problem, sendProblem } from '@expert-relay/kit/problem';
import { answerOptions, methods } from './answer-options.ts';
import type { CommonHeaders } from './common-headers.ts';
import type { TakeOver } from './take-over.ts';

/** GET and HEAD of the one address that the hub has. */
export type StreamEvents = (
  request: IncomingMessage,
  response: ServerResponse,
  query: URLSearchParams,
) => Promise<void>;

/** The hub answers under its bare address and under `/hub`, so that it can share a host with the gateway. */
const paths = new Set(['/', '/hub', '/hub/']);

export function createHandler(options: {
  streamEvents: StreamEvents;
  commonHeaders: CommonHeaders;
  takeOver: Pick<TakeOver, 'hasTaken'>;
  log: Log;
}): RequestListener {
  const { streamEvents, commonHeaders, takeOver, log } = options;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = '', query = ''] = splitOnce(request.url ?? '', '?');
    if (!paths.has(path)) throw new Problem('not_found');
    if (request.method === 'OPTIONS') return answerOptions(response);
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      throw new Problem('method_not_allowed', { headers: { allow: methods } });
    }
    await streamEvents(request, response, new URLSearchParams(query));
  }

  return (request, response) => {
    if (takeOver.hasTaken(request.socket)) {
      request.socket.destroy();
      return;
    }
    for (const [name, value] of Object.entries(commonHeaders(request))) response.setHeader(name, value);
    answer(request, response).catch((error: unknown) => {
      // Never the error's text alone: an address with a token in it could be part of one.
      if (!(error instanceof Problem)) log.error({ err: error }, 'a call failed unexpectedly');
      sendProblem(response, error instanceof Problem ? error : new Problem('internal'));
    });
  };
}

function splitOnce(text: string, separator: string): string[] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

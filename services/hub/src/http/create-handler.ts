import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { answeredStatus, checkHost, hasBody, type ObservedCall } from '@expert-relay/kit/http';
import type { Log } from '@expert-relay/kit/log';
import { Problem, sendProblem } from '@expert-relay/kit/problem';
import { answerOptions, methods } from './answer-options.ts';
import type { CommonHeaders } from './common-headers.ts';
import { connectionOf } from './take-over.ts';

/** What is recorded of a call besides its answer. */
export interface HubCall {
  readonly id: string;
  route: string;
  /** What a stream rests on: `key`, `session` or `none`. */
  caller: string;
}

/** GET and HEAD of the one address that the hub has. */
export type StreamEvents = (
  request: IncomingMessage,
  response: ServerResponse,
  query: URLSearchParams,
  call: HubCall,
) => Promise<void>;

/** The hub answers under its bare address and under `/hub`, so that it can share a host with the gateway. */
const paths = new Set(['/', '/hub', '/hub/']);

export function createHandler(options: {
  streamEvents: StreamEvents;
  commonHeaders: CommonHeaders;
  record: (call: ObservedCall) => void;
  log: Log;
}): RequestListener {
  const { streamEvents, commonHeaders, record, log } = options;

  async function answer(request: IncomingMessage, response: ServerResponse, call: HubCall): Promise<void> {
    const [path = '', query = ''] = splitOnce(request.url ?? '', '?');
    if (!paths.has(path)) throw new Problem('not_found');
    call.route = '/';
    checkHost(request);
    if (request.method === 'OPTIONS') return answerOptions(response);
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      throw new Problem('method_not_allowed', { headers: { allow: methods } });
    }
    if (hasBody(request)) throw new Problem('invalid_request', { detail: 'This request takes no body.' });
    await streamEvents(request, response, new URLSearchParams(query), call);
  }

  return (request, response) => {
    const connection = connectionOf(request);
    const start = performance.now();
    const call: HubCall = { id: randomUUID(), route: 'none', caller: 'none' };
    response.once('close', () => {
      const { id: callId, ...labels } = call;
      const status = connection.isDetached ? 200 : answeredStatus(response);
      record({ callId, method: request.method ?? '', ...labels, status, ms: performance.now() - start });
    });
    for (const [name, value] of Object.entries(commonHeaders(request))) response.setHeader(name, value);
    response.setHeader('x-request-id', call.id);
    // The rest of a body is not waited for.
    if (hasBody(request)) response.setHeader('connection', 'close');
    answer(request, response, call).catch((error: unknown) => {
      // Never the error's text alone: an address with a token in it could be part of one.
      if (!(error instanceof Problem))
        log.error({ callId: call.id, err: error }, 'a call failed unexpectedly');
      sendProblem(response, error instanceof Problem ? error : new Problem('internal'));
    });
  };
}

function splitOnce(text: string, separator: string): string[] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

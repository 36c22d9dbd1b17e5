import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServiceClient } from '@expert-relay/kit/service-client';
import type { EdgeStep } from '../edge-call.ts';
import type { UpstreamName } from '../edge-route.ts';
import { answerHeaders } from './answer-headers.ts';
import type { LimitTransfer, Transfer } from './limit-transfer-time.ts';
import type { ReceiveBody } from './receive-body.ts';
import { requestHeaders } from './request-headers.ts';

export type Upstreams = Readonly<Record<UpstreamName, ServiceClient>>;

/** Forwards a call to its service, and passes the answer back. */
export function forward(options: {
  upstreams: Upstreams;
  receiveBody: ReceiveBody;
  limitTransfer: LimitTransfer;
  publicUrl: string;
}): EdgeStep {
  const { upstreams, receiveBody, limitTransfer } = options;
  const proto = new URL(options.publicUrl).protocol.slice(0, -1);

  return async (request, response, next) => {
    const { id: callId, client, route, principal } = response.locals.call;
    if (!route || !principal || route.to === 'gateway') {
      next();
      return;
    }
    const body = await receiveBody(request, response);
    const isSession = route.to === 'dashboard';
    const headers = requestHeaders(request, { withCookies: isSession });
    if (isSession) {
      headers['x-forwarded-for'] = client;
      headers['x-forwarded-proto'] = proto;
      headers['x-forwarded-host'] = request.headers.host ?? '';
    }
    const { method, url: path } = request;
    const call = { method, path, route: route.path, principal, callId, headers, body, response };
    passBack(await upstreams[route.to].call(call), response, limitTransfer(response));
  };
}

function passBack(answer: IncomingMessage, response: ServerResponse, transfer: Transfer): void {
  response.writeHead(answer.statusCode ?? 502, answerHeaders(answer));
  answer.on('data', (piece) => {
    if (!transfer.write(piece)) answer.pause();
  });
  answer.once('end', () => transfer.end());
  answer.once('error', () => response.destroy());
  response.on('drain', () => answer.resume());
}

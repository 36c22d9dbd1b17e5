import { sendAnswer } from '@expert-relay/kit/http';
import type { EdgeStep } from '../call/edge-call.ts';
import type { Transfers } from '../forward/transfer-answers.ts';
import { documents } from '../generated/documents.ts';

/** Sends the OpenAPI document, the page that shows it, or the page's style. */
export function sendDocument(path: keyof typeof documents, transfers: Transfers): EdgeStep {
  const { type, text } = documents[path];
  const bytes = Buffer.from(text);
  const headers = {
    'content-type': type,
    'content-length': bytes.length,
    'cache-control': 'public, max-age=300',
  };

  return (request, response) => {
    response.writeHead(200, headers);
    const transfer = transfers.begin(response);
    if (request.method !== 'HEAD') transfer.write(bytes);
    transfer.end();
  };
}

/** Answers with the address of the hub, so that clients need only the gateway's address in their configuration. */
export function describeRelay({ hubUrl, version }: { hubUrl: string; version: string }): EdgeStep {
  return (_request, response) => sendAnswer(response, { status: 200, body: { hubUrl, version } });
}

/** Names the hub in the answer to a submit too, so that an agent that asks needs no call for it. */
export function nameHub(hubUrl: string): EdgeStep {
  return (_request, response, next) => {
    response.setHeader('relay-hub', hubUrl);
    next();
  };
}

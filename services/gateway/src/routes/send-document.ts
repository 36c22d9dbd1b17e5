import type { EdgeStep } from '../call/edge-call.ts';
import type { BeginTransfer } from '../forward/create-transfers.ts';
import { openapi } from '../generated/openapi.ts';

/** Sends the OpenAPI document. */
export function sendDocument(beginTransfer: BeginTransfer): EdgeStep {
  const bytes = Buffer.from(openapi);
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': bytes.length,
    'cache-control': 'public, max-age=300',
  };

  return (request, response) => {
    response.writeHead(200, headers);
    const transfer = beginTransfer(response);
    if (request.method !== 'HEAD') transfer.write(bytes);
    transfer.end();
  };
}

import type { EdgeStep } from '../call/edge-call.ts';
import type { Transfers } from '../forward/create-transfers.ts';
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

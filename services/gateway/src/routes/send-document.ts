import type { EdgeStep } from '../edge-call.ts';
import { documents } from '../generated/documents.ts';

/** The API's document, the page that shows it, and the page's style. */
export function sendDocument(path: keyof typeof documents): EdgeStep {
  const { type, text } = documents[path];
  const bytes = Buffer.from(text);
  const headers = {
    'content-type': type,
    'content-length': bytes.length,
    'cache-control': 'public, max-age=300',
  };

  return (request, response) => {
    response.writeHead(200, headers).end(request.method === 'HEAD' ? undefined : bytes);
  };
}

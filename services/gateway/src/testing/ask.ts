import { type Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';

export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  // biome-ignore lint/suspicious/noExplicitAny: each test expects other members.
  readonly json: any;
}

/** One call with node:http, which sends headers and paths unchanged; fetch would correct or refuse them. */
export function ask(
  url: string,
  call: {
    method?: string;
    path?: string;
    headers?: OutgoingHttpHeaders;
    body?: string | Buffer;
    agent?: Agent | false;
  } = {},
): Promise<HttpResponse> {
  const { method = 'GET', path = '/', headers = {}, body, agent = false } = call;
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, path, headers, agent }, (incoming) => {
      let text = '';
      incoming.setEncoding('utf8');
      incoming.on('data', (piece) => {
        text += piece;
      });
      incoming.once('error', reject);
      incoming.once('end', () =>
        resolve({
          status: incoming.statusCode ?? 0,
          headers: incoming.headers,
          body: text,
          get json() {
            return JSON.parse(text);
          },
        }),
      );
    });
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}

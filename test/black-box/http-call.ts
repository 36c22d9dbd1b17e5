import { type Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { Readable } from 'node:stream';

/** A call exactly as it shall go out; nothing is added but what HTTP itself needs. */
export interface HttpCall {
  readonly method: string;
  /** With its query, not encoded any further. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** Bytes go out with their length, pieces as chunks. */
  readonly body?: string | Buffer | AsyncIterable<string | Buffer>;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body read as JSON. Its shape is known: every answer was checked against the document. */
  readonly json: ReturnType<typeof JSON.parse>;
}

/** Longer than anything may take: whoever does not answer within this hangs. */
const patience = 20_000;

/** One HTTP call. Fails when no whole answer comes, not when the answer is an error. */
export function sendCall(
  baseUrl: string,
  { method, path, headers, body }: HttpCall,
  agent: Agent,
  within = patience,
): Promise<Answer> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    let answered = false;
    const call = request(
      { hostname, port, method, path, agent, headers: { ...headers, ...framingOf(body) }, timeout: within },
      (response) => {
        answered = true;
        read(response).then(resolve, reject);
      },
    );
    // Whoever is refused before the body has gone out may find the connection closed while writing on.
    call.on(
      'error',
      (error) => answered || reject(new Error(`${method} ${path}: ${error.message}`, { cause: error })),
    );
    call.on('timeout', () => call.destroy(new Error(`no answer within ${within} ms`)));
    if (body === undefined) call.end();
    else if (typeof body === 'string' || Buffer.isBuffer(body)) call.end(body);
    else Readable.from(body).pipe(call);
  });
}

function framingOf(body: HttpCall['body']): Record<string, string> {
  if (body === undefined) return {};
  // Said, since Node sends the pieces of a GET or DELETE bare otherwise.
  if (typeof body !== 'string' && !Buffer.isBuffer(body)) return { 'transfer-encoding': 'chunked' };
  return { 'content-length': String(Buffer.byteLength(body)) };
}

async function read(response: IncomingMessage): Promise<Answer> {
  const pieces: Buffer[] = [];
  for await (const piece of response) pieces.push(piece);
  const text = Buffer.concat(pieces).toString('utf8');
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text,
    get json() {
      return JSON.parse(text);
    },
  };
}

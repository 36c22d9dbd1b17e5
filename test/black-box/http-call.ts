import { type Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { Readable } from 'node:stream';

/** A call as it is sent. Only what HTTP itself needs is added. */
export interface HttpCall {
  readonly method: string;
  /** Includes the query. It is sent as it is, without encoding. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** Text and bytes are sent with their length, an iterable in chunks. */
  readonly body?: string | Buffer | AsyncIterable<string | Buffer>;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body parsed as JSON. It is untyped, because every response is checked against docs/openapi.yaml. */
  readonly json: ReturnType<typeof JSON.parse>;
}

/** No call may take this long. */
const defaultTimeoutMs = 60_000;

/** Sends one HTTP call. It rejects when no complete response arrives. A response with an error status resolves. */
export function sendCall(
  baseUrl: string,
  { method, path, headers, body }: HttpCall,
  agent: Agent,
  timeoutMs = defaultTimeoutMs,
): Promise<HttpResponse> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    let answered = false;
    const call = request(
      {
        hostname,
        port,
        method,
        path,
        agent,
        headers: { ...headers, ...framingOf(body) },
        timeout: timeoutMs,
      },
      (response) => {
        answered = true;
        read(response).then(resolve, reject);
      },
    );
    // When a call is refused before its whole body is sent, writing the rest may fail after the response.
    call.on(
      'error',
      (error) => answered || reject(new Error(`${method} ${path}: ${error.message}`, { cause: error })),
    );
    call.on('timeout', () => call.destroy(new Error(`no response within ${timeoutMs} ms`)));
    if (body === undefined) call.end();
    else if (typeof body === 'string' || Buffer.isBuffer(body)) call.end(body);
    else Readable.from(body).pipe(call);
  });
}

function framingOf(body: HttpCall['body']): Record<string, string> {
  if (body === undefined) return {};
  // Without this header, Node sends the chunks of a GET or DELETE unframed.
  if (typeof body !== 'string' && !Buffer.isBuffer(body)) return { 'transfer-encoding': 'chunked' };
  return { 'content-length': String(Buffer.byteLength(body)) };
}

async function read(response: IncomingMessage): Promise<HttpResponse> {
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

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Json = { [member: string]: unknown };

/** A call that the relay received and that goes to the gateway. */
export interface Call {
  readonly method: string;
  path: string;
  body: Json;
}

/** How the relay misbehaves. Where a member is missing, it behaves correctly. */
export interface Lie {
  /** Changes the call of a client. */
  call?(call: Call): void;
  /** Changes the answer to a client. A string is sent unchanged. */
  answer?(answer: Json, call: Call): Json | string | undefined;
  /** Replaces the gateway's answer, after the gateway has executed the call. */
  instead?(call: Call): { status: number; headers?: Record<string, string>; body?: string } | undefined;
  /** Answers without forwarding the call to the gateway. */
  swallow?(call: Call): { status: number; body: Json } | undefined;
  /** Changes the blocks of a stream. */
  blocks?(blocks: string[]): string[];
  /** Answers a subscription instead of the hub. `nothing` leaves the connection open without an answer. */
  stream?(): { status: number; body: string } | 'nothing' | undefined;
  /** The delay of each answer, in milliseconds. */
  delay?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface LyingRelay {
  readonly url: string;
  /** Misbehaves in this way for the calls that arrive from now on. */
  tell(lie: Lie): void;
  stop(): Promise<void>;
}

/** A proxy to a real gateway and hub that changes calls and answers. */
export async function startLyingRelay(real: { gatewayUrl: string; hubUrl: string }): Promise<LyingRelay> {
  let lie: Lie = {};
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    const handled = path.startsWith('/hub') ? stream(request, response) : call(request, response);
    handled.catch(() => response.destroy());
  });

  async function call(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    // A call keeps the lie that was set when it arrived, so that a late call of an earlier test is not counted by the next lie.
    const told = lie;
    const text = Buffer.concat(chunks).toString();
    const asked: Call = {
      method: request.method ?? 'GET',
      path: request.url ?? '/',
      body: text ? JSON.parse(text) : {},
    };
    told.call?.(asked);
    const swallowed = told.swallow?.(asked);
    if (swallowed) {
      response.writeHead(swallowed.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(swallowed.body));
      return;
    }
    const { 'x-api-key': apiKey = '', 'if-match': version = '', cookie = '' } = request.headers;
    const answer = await fetch(real.gatewayUrl + asked.path, {
      method: asked.method,
      headers: {
        'content-type': 'application/json',
        ...(apiKey && { 'x-api-key': String(apiKey) }),
        ...(version && { 'if-match': version }),
        ...(cookie && { cookie }),
      },
      ...(asked.method !== 'GET' && { body: JSON.stringify(asked.body) }),
    });
    const body = (await answer.json()) as Json;
    if (told.delay) await new Promise((resolve) => setTimeout(resolve, told.delay));
    if (asked.path === '/.well-known/expert-relay') body.hubUrl = `${url}/hub`;
    // The client has closed its connection.
    if (response.destroyed) return;
    const position = answer.headers.get('relay-position');
    const instead = told.instead?.(asked);
    const changed = told.answer?.(body, asked) ?? body;
    response.writeHead(instead?.status ?? answer.status, {
      'content-type': 'application/json',
      ...(answer.headers.has('relay-hub') && { 'relay-hub': `${url}/hub` }),
      ...(position !== null && { 'relay-position': position }),
      ...told.headers,
      ...instead?.headers,
    });
    response.end(instead ? instead.body : typeof changed === 'string' ? changed : JSON.stringify(changed));
  }

  async function stream(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const instead = lie.stream?.();
    if (instead === 'nothing') return;
    if (instead) {
      response.writeHead(instead.status, { 'content-type': 'text/event-stream' }).end(instead.body);
      return;
    }
    const closed = new AbortController();
    response.on('close', () => closed.abort());
    const query = (request.url ?? '').slice('/hub'.length);
    const { 'x-api-key': apiKey = '' } = request.headers;
    const answer = await fetch(real.hubUrl + query, {
      headers: { accept: 'text/event-stream', 'x-api-key': String(apiKey) },
      signal: closed.signal,
    });
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    const decoder = new TextDecoder();
    let rest = '';
    for await (const chunk of answer.body ?? []) {
      const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of lie.blocks?.(blocks) ?? blocks) response.write(`${block}\n\n`);
    }
    response.end();
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    tell(next) {
      lie = next;
    },
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

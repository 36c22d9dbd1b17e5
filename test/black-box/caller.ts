import type { HttpCall, HttpResponse } from './http-call.ts';

export type SendCall = (call: HttpCall) => Promise<HttpResponse>;

type Headers = Readonly<Record<string, string>>;

/** Sends all calls with the same credential. */
export interface Caller {
  readonly headers: Headers;
  get(path: string, headers?: Headers): Promise<HttpResponse>;
  post(path: string, json?: unknown, headers?: Headers): Promise<HttpResponse>;
  put(path: string, json?: unknown, headers?: Headers): Promise<HttpResponse>;
  delete(path: string, headers?: Headers): Promise<HttpResponse>;
  /** Sends a call with any method. Without `json` there is no body. */
  send(method: string, path: string, json?: unknown, headers?: Headers): Promise<HttpResponse>;
}

export function createCaller(sendCall: SendCall, credential: Headers): Caller {
  function send(method: string, path: string, json?: unknown, headers: Headers = {}): Promise<HttpResponse> {
    if (json === undefined) return sendCall({ method, path, headers: { ...credential, ...headers } });
    return sendCall({
      method,
      path,
      headers: { 'content-type': 'application/json', ...credential, ...headers },
      body: JSON.stringify(json),
    });
  }

  return {
    headers: credential,
    get: (path, headers) => send('GET', path, undefined, headers),
    post: (path, json, headers) => send('POST', path, json, headers),
    put: (path, json, headers) => send('PUT', path, json, headers),
    delete: (path, headers) => send('DELETE', path, undefined, headers),
    send,
  };
}

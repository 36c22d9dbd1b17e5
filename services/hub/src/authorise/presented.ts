import type { IncomingMessage } from 'node:http';
import { Problem } from '@expert-relay/kit/problem';

/** The credential that a call brings along. */
export type Presented =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'key'; readonly apiKey: string };

/** The call that asks for a stream. */
export interface Caller {
  /** The client's address, or the network that stands for it. */
  readonly network: string;
  readonly callId: string;
}

/** Reads the one credential of a call. Two at once are refused: it would not be clear what the stream rests on. */
export function readPresented(request: IncomingMessage, query: URLSearchParams): Presented | undefined {
  const { authorization, 'x-api-key': apiKey } = request.headers;
  const inQuery = query.getAll('authorization');
  const presented: Presented[] = inQuery.map((token) => ({ kind: 'token', token }));
  if (authorization !== undefined) {
    const [, token = ''] = /^bearer +(\S+)$/i.exec(authorization) ?? [];
    presented.push({ kind: 'token', token });
  }
  if (apiKey !== undefined) presented.push({ kind: 'key', apiKey: String(apiKey) });
  if (presented.length <= 1) return presented[0];
  throw new Problem('invalid_request', {
    detail:
      'Send one credential: `Authorization: Bearer`, `x-api-key` or the query parameter `authorization`.',
  });
}

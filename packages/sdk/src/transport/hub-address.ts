import type { Access } from '../client-options.ts';
import type { Api } from './api.ts';
import { httpUrl, invalidUrl } from './http-url.ts';
import { members, text, unexpected } from './shape.ts';

/** Where the hub is: as given, or as the gateway says, which is asked until it has said so once. */
export function createHubAddress(
  api: Api,
  { hubUrl }: Pick<Access, 'hubUrl'>,
): (signal: AbortSignal) => Promise<URL> {
  let known = hubUrl === undefined ? undefined : (httpUrl(hubUrl) ?? invalidUrl('hubUrl'));
  return async (signal) => {
    known ??= await api.get('/.well-known/expert-relay', readHubUrl, signal);
    return known;
  };

  function readHubUrl(answer: unknown): URL {
    const url = httpUrl(text(members(answer), 'hubUrl'));
    // Not in clear what the gateway is told encrypted: the key goes to the hub too.
    const isSafe = url?.protocol === 'https:' || api.url.startsWith('http:');
    return url && isSafe ? url : unexpected('a safe address as `hubUrl`');
  }
}

import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import type { Api } from '@expert-relay/contracts';
import { type AddressRules, isSameAddress } from './address-rules.ts';
import { printableStart } from './printable-start.ts';
import { literalAddress, type Resolve } from './resolve.ts';
import { smallReads } from './small-reads.ts';

export interface PostResult {
  readonly reason?: Api.DeliveryFailure;
  readonly statusCode?: number;
  readonly response?: string;
  readonly retryAfterSeconds?: number;
}

/** Sends a body to an address of the internet. It never rejects. */
export type Post = (
  url: string,
  headers: Record<string, string>,
  body: string | Buffer,
) => Promise<PostResult>;

export interface PostOptions {
  rules: AddressRules;
  resolve: Resolve;
  deadlineMs?: number;
  /** Certificates to trust instead of the system's. */
  ca?: string;
}

/** From the name to the head of the response. */
export const defaultDeadlineMs = 10_000;
/** Interim responses (1xx) before the response. Each costs this process some work, and a receiver can send millions. */
const maxInterim = 10;
/** The body of the response is only read for its owner: for a short time, to 64 KiB, and in few parts, for the same reason. */
export const bodyMs = 1_000;
const bodyBytes = 65_536;
const bodyParts = 256;

/**
 * The one client for addresses that users have set. It resolves the name itself, checks every address, and connects to the
 * address that it has checked, so that a name cannot change in between. It has no agent, no proxy and follows no redirects.
 */
export function createPost(options: PostOptions): Post {
  const { rules, resolve, deadlineMs = defaultDeadlineMs, ca } = options;
  return async (url, headers, body) => {
    const deadline = performance.now() + deadlineMs;
    const target = new URL(url);
    const addresses = await resolve(target.hostname);
    const [address] = addresses;
    if (address === undefined) return { reason: 'name_not_found' };
    const isPlain = target.protocol !== 'https:' || target.port !== '';
    const isAllowed = isPlain ? rules.isInner : rules.isAllowed;
    // A name gets the same reason whether it has an inner address or none: users could list the names of the inner network.
    if (!addresses.every(isAllowed))
      return { reason: hasName(target) ? 'name_not_found' : 'address_not_allowed' };

    const settings: RequestOptions = {
      method: 'POST',
      host: address,
      port: target.port || (target.protocol === 'https:' ? 443 : 80),
      path: `${target.pathname}${target.search}`,
      agent: false,
      headers: {
        ...headers,
        host: target.host,
        'accept-encoding': 'identity',
        'content-length': Buffer.byteLength(body),
        connection: 'close',
      },
      // The certificate of a target without a name is checked for its address.
      ...(hasName(target) && { servername: target.hostname }),
      ...(ca !== undefined && { ca }),
    };
    return await exchange(settings, { address, body, isTls: target.protocol === 'https:', deadline });
  };
}

const hasName = ({ hostname }: URL): boolean => literalAddress(hostname) === undefined;

function exchange(
  settings: RequestOptions,
  call: { address: string; body: string | Buffer; isTls: boolean; deadline: number },
): Promise<PostResult> {
  return new Promise((resolve) => {
    let isConnected = false;
    let isSecure = !call.isTls;
    const { onread, useSocket } = smallReads();
    const request = (call.isTls ? httpsRequest : httpRequest)({ ...settings, ...{ onread } });
    const finish = (result: PostResult) => {
      clearTimeout(timer);
      resolve(result);
      request.destroy();
    };
    const timer = setTimeout(
      () => finish({ reason: 'timed_out' }),
      Math.max(0, call.deadline - performance.now()),
    );
    request.on('socket', (socket) => {
      useSocket(socket);
      socket.once('connect', () => {
        isConnected = true;
        if (!isSameAddress(socket.remoteAddress ?? '', call.address))
          finish({ reason: 'address_not_allowed' });
      });
      socket.once('secureConnect', () => {
        isSecure = true;
      });
    });
    let hasHead = false;
    const fail = () => {
      if (!hasHead)
        finish({ reason: !isConnected ? 'not_reachable' : !isSecure ? 'tls_failed' : 'broken_off' });
    };
    request.on('error', fail);
    let interim = 0;
    request.on('information', () => {
      if (++interim > maxInterim) fail();
    });
    // A response that switches the protocol ends the connection without an error.
    request.on('close', fail);
    request.on('response', (response) => {
      hasHead = true;
      clearTimeout(timer);
      const { statusCode = 0 } = response;
      const isSuccess = statusCode >= 200 && statusCode < 300;
      const retryAfterSeconds = parseRetryAfter(response.headers['retry-after']);
      void readStart(response).then((text) =>
        finish({
          ...(!isSuccess && { reason: 'refused' }),
          statusCode,
          response: text,
          ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
        }),
      );
    });
    request.end(call.body);
  });
}

/** The first printable characters of the response. It ends the reading early: whether the rest arrives does not matter. */
function readStart(response: IncomingMessage): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const timer = setTimeout(() => finish(), bodyMs);
    const take = (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= bodyBytes || chunks.length >= bodyParts) finish();
    };
    const finish = () => {
      clearTimeout(timer);
      // What has arrived already would be emitted even after `destroy`, in up to thousands of parts.
      response.off('data', take).off('end', finish).off('close', finish).destroy();
      resolve(printableStart(Buffer.concat(chunks).subarray(0, bodyBytes).toString()));
    };
    response.on('data', take);
    response.on('end', finish);
    response.on('error', finish);
    response.on('close', finish);
  });
}

/** Seconds, or a date (RFC 9110). */
export function parseRetryAfter(text: string | undefined, nowMs = Date.now()): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - nowMs) / 1_000));
}

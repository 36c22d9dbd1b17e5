import type { IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Part } from '../lifecycle/part.ts';
import type { Log } from '../log/index.ts';
import { type Principal, type PrincipalSigner, principalHeader } from '../principal/index.ts';
import { Problem } from '../problem/index.ts';
import { createPool } from './create-pool.ts';

export interface ServiceCall {
  method: string;
  /** With its query. */
  path: string;
  /** The template of the path, for the log. Required where the path holds an id. */
  route?: string;
  principal: Principal;
  /** The same for every hop and every try of one call. */
  callId: string;
  headers?: Readonly<Record<string, string>>;
  /** JSON. */
  body?: Buffer;
}

/** Calls another service over kept-alive connections, with a principal that this service signs. */
export interface ServiceClient extends Part {
  /** The head of the answer, whatever its status. Throws a `Problem` when there is none, and logs the cause. */
  call(call: ServiceCall): Promise<IncomingMessage>;
}

export function createServiceClient(options: {
  name: string;
  url: string;
  sign: PrincipalSigner;
  log: Log;
  /** For the head of an answer, in milliseconds. */
  headLimit?: number;
}): ServiceClient {
  const { name, url, sign, log, headLimit = 30_000 } = options;
  const pool = createPool(url);

  function send(call: ServiceCall, fresh: boolean): Promise<IncomingMessage> {
    const { method, path, principal, callId, body } = call;
    return new Promise((resolve, reject) => {
      const headers = {
        ...(body && { 'content-type': 'application/json', 'content-length': body.length }),
        ...call.headers,
        'x-request-id': callId,
        [principalHeader]: sign({ principal, method, path, callId }),
      };
      const outgoing = pool.open({ method, path, headers }, fresh);
      const timer = setTimeout(() => {
        // It is not repeated, since it may have taken effect.
        reject(Object.assign(new Error(`no answer within ${headLimit} ms`), { code: 'ETIMEDOUT' }));
        outgoing.destroy();
      }, headLimit);
      outgoing.once('response', (answer) => {
        clearTimeout(timer);
        resolve(answer);
      });
      outgoing.on('error', (error: NodeJS.ErrnoException) => {
        clearTimeout(timer);
        reject(Object.assign(error, { reused: outgoing.reusedSocket }));
      });
      outgoing.end(body);
    });
  }

  /** Never the path itself: an id in it opens a conversation. */
  function logFailure(
    { method, path, route = path.split('?')[0], callId }: ServiceCall,
    error: Failure,
    start: number,
  ) {
    const ms = Math.round(performance.now() - start);
    log.warn(
      { callee: name, callId, method, route, code: error.code, reason: error.message, ms },
      'a call of another service failed',
    );
  }

  return {
    name: `${name} client`,
    async call(call) {
      const start = performance.now();
      try {
        const answer = await send(call, false).catch(async (error: Failure) => {
          // A kept-alive connection broke, or nothing listened: `callId` makes a second try safe.
          if (error.code === 'ECONNREFUSED') await pause(100);
          else if (!error.reused) throw error;
          return send(call, true);
        });
        // Not for an answer that this side gave up, as when its own client has left.
        answer.once('close', () => {
          const broken = answer.errored as Failure | null;
          if (broken?.code === 'ECONNRESET') logFailure(call, broken, start);
        });
        return answer;
      } catch (error) {
        const cause = error as Failure;
        logFailure(call, cause, start);
        throw new Problem(cause.code === 'ECONNREFUSED' ? 'unavailable' : 'bad_gateway', {
          headers: { 'retry-after': '5' },
          cause,
        });
      }
    },
    async stop() {
      pool.close();
    },
  };
}

type Failure = NodeJS.ErrnoException & { reused?: boolean };

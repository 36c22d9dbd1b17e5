import type { IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Part } from '../lifecycle/part.ts';
import { type Principal, type PrincipalSigner, principalHeader } from '../principal/index.ts';
import { Problem } from '../problem/index.ts';
import { createPool } from './create-pool.ts';

export interface ServiceCall {
  method: string;
  /** With its query. */
  path: string;
  principal: Principal;
  /** The same for every hop and every try of one call. */
  callId: string;
  headers?: Readonly<Record<string, string>>;
  /** JSON. */
  body?: Buffer;
}

/** One service calls another: over kept-alive connections, with a principal of its own making. */
export interface ServiceClient extends Part {
  /** The head of the answer, whatever its status; a `Problem` when there is none. */
  call(call: ServiceCall): Promise<IncomingMessage>;
}

export function createServiceClient(options: {
  name: string;
  url: string;
  sign: PrincipalSigner;
  /** For the head of an answer, in milliseconds. */
  headLimit?: number;
}): ServiceClient {
  const { name, url, sign, headLimit = 30_000 } = options;
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
        // Not one to repeat: the connection did not break, and nobody knows what became of the call.
        reject(new Error('no answer in time'));
        outgoing.destroy();
      }, headLimit);
      outgoing.once('response', (answer) => {
        clearTimeout(timer);
        resolve(answer);
      });
      outgoing.once('error', (error: NodeJS.ErrnoException) => {
        clearTimeout(timer);
        reject(Object.assign(error, { reused: outgoing.reusedSocket }));
      });
      outgoing.end(body);
    });
  }

  return {
    name: `${name} client`,
    async call(call) {
      try {
        return await send(call, false).catch(async (error: Failure) => {
          // A kept-alive connection broke, or nobody listened: `callId` makes a second try safe.
          if (error.code === 'ECONNREFUSED') await pause(100);
          else if (!error.reused) throw error;
          return send(call, true);
        });
      } catch (error) {
        const refused = (error as Failure).code === 'ECONNREFUSED';
        throw new Problem(refused ? 'unavailable' : 'bad_gateway', { headers: { 'retry-after': '5' } });
      }
    },
    async stop() {
      pool.close();
    },
  };
}

type Failure = NodeJS.ErrnoException & { reused?: boolean };

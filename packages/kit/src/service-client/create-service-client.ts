import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { ClientLeft } from '../http/index.ts';
import type { Log } from '../log/index.ts';
import type { Part } from '../part/index.ts';
import { type Principal, type PrincipalSigner, principalHeader } from '../principal/index.ts';
import { Problem, type ProblemCode } from '../problem/index.ts';
import { createPool } from './create-pool.ts';

export interface ServiceCall {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** The template of the path, for the log. Required where the path holds an id. */
  readonly route?: string;
  readonly principal: Principal;
  /** The same for every service that the call passes and for each attempt. */
  readonly callId: string;
  /** The client adds its own headers to this object. */
  readonly headers?: OutgoingHttpHeaders;
  /** A body that is sent as JSON. */
  readonly json?: unknown;
  /** A body in bytes, whose type is in `headers`. */
  readonly body?: Buffer | undefined;
  /** What the client of this call will get. When the client leaves, the call ends too. */
  readonly response?: ServerResponse;
}

/** Calls another service over kept-alive connections, with a principal that this service signs. */
export interface ServiceClient extends Part {
  /**
   * The head of the answer, whatever its status. Throws a `Problem` when there is none, and logs the cause.
   *
   * A call is repeated once when a kept-alive connection broke before the answer began, and once when a new connection
   * was refused, since one of two instances may be restarting. `callId` makes both safe. Nothing else is repeated.
   */
  call(call: ServiceCall): Promise<IncomingMessage>;
  /** Whether something answers at the address. */
  answers(): Promise<boolean>;
}

/** In milliseconds. */
const pauseAfterRefusal = 100;
const probeLimit = 1_500;

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

  function call(call: ServiceCall): Promise<IncomingMessage> {
    const { method, path, principal, callId, json, response } = call;
    const body = json === undefined ? call.body : Buffer.from(JSON.stringify(json));
    const { headers = {} } = call;
    if (json !== undefined) headers['content-type'] = 'application/json';
    if (body) headers['content-length'] = body.length;
    headers['x-request-id'] = callId;
    const start = performance.now();

    return new Promise((resolve, reject) => {
      const repeats = new Set<Failure>(['broken', 'refused']);
      let end = () => {};

      function attempt(fresh: boolean): void {
        headers[principalHeader] = sign({ principal, method, path, callId });
        const outgoing = pool.open({ method, path, headers }, fresh);
        let isSettled = false;
        const timer = setTimeout(() => fail(noAnswer(headLimit)), headLimit);

        function settle(): boolean {
          clearTimeout(timer);
          const isFirst = !isSettled;
          isSettled = true;
          return isFirst;
        }

        function fail(error: NodeJS.ErrnoException): void {
          if (!settle()) return;
          outgoing.destroy();
          const failure = failureOf(error);
          const mayRepeat = failure === 'refused' || (failure === 'broken' && outgoing.reusedSocket);
          if (mayRepeat && repeats.delete(failure)) {
            if (failure === 'broken') attempt(true);
            else {
              const pause = setTimeout(attempt, pauseAfterRefusal, true);
              end = () => clearTimeout(pause);
            }
            return;
          }
          logFailure(call, error, start);
          reject(problemOf(failure, name, error));
        }

        outgoing.once('response', (answer) => {
          if (!settle()) return;
          end = () => answer.destroy();
          // An answer that this side gives up has no error.
          answer.once('close', () => {
            const broken = answer.errored as NodeJS.ErrnoException | null;
            if (broken?.code === 'ECONNRESET') logFailure(call, broken, start);
          });
          resolve(answer);
        });
        outgoing.on('error', fail);
        outgoing.once('close', () => {
          if (!isSettled) fail(hungUp());
        });
        end = () => {
          if (settle()) outgoing.destroy();
        };
        outgoing.end(body);
      }

      response?.once('close', () => {
        if (response.writableFinished) return;
        end();
        reject(new ClientLeft());
      });
      attempt(false);
    });
  }

  /** Never the path itself: an id in it opens a conversation. */
  function logFailure(call: ServiceCall, error: NodeJS.ErrnoException, start: number): void {
    const { method, path, route = path.split('?')[0], callId } = call;
    const ms = Math.round(performance.now() - start);
    log.warn(
      { callee: name, callId, method, route, code: error.code, reason: error.message, ms },
      'a call of another service failed',
    );
  }

  function answers(): Promise<boolean> {
    return new Promise((resolve) => {
      const probe = pool.open({ method: 'HEAD', path: '/', headers: {} }, false);
      const timer = setTimeout(() => probe.destroy(), probeLimit);
      probe.once('response', (answer) => {
        answer.resume();
        resolve(true);
      });
      probe.once('error', () => {});
      probe.once('close', () => {
        clearTimeout(timer);
        resolve(false);
      });
      probe.end();
    });
  }

  return {
    name: `${name} client`,
    call,
    answers,
    async stop() {
      pool.close();
    },
  };
}

/** Why there was no answer. After `refused` and `unreached` the call has certainly not taken effect. */
type Failure = 'refused' | 'unreached' | 'late' | 'broken';

const unreached = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

function failureOf({ code = '', syscall }: NodeJS.ErrnoException): Failure {
  if (code === 'ECONNREFUSED') return 'refused';
  if (unreached.has(code) || syscall === 'connect') return 'unreached';
  return code === lateCode ? 'late' : 'broken';
}

/** Also a code of `connect`, which has a `syscall` besides. */
const lateCode = 'ETIMEDOUT';

const noAnswer = (limit: number): Error =>
  Object.assign(new Error(`no answer within ${limit} ms`), { code: lateCode });

const hungUp = (): Error => Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });

function problemOf(failure: Failure, name: string, cause: Error): Problem {
  const headers = { 'retry-after': '2' };
  if (failure === 'refused' || failure === 'unreached') {
    const detail = `The ${name} service cannot be reached. Try again shortly.`;
    return new Problem('unavailable', { detail, headers, cause });
  }
  const what = failure === 'late' ? 'did not answer in time' : 'broke off before it answered';
  const detail = `The ${name} service ${what}: it is not known whether the call took effect.`;
  return new Problem('bad_gateway', { detail, headers, cause });
}

/** The JSON of an answer of another service. A failure of that service is not the fault of the client. */
export async function readAnswer<T>(answer: IncomingMessage): Promise<T> {
  const headers = { 'retry-after': '5' };
  const text = await readText(answer).catch((cause) => {
    // The service client has logged it.
    throw new Problem('bad_gateway', { headers, cause });
  });
  const status = answer.statusCode ?? 0;
  if (status >= 500) throw new Problem(codeOf(status, text), { headers });
  if (status >= 300) throw new Error(`a service answered ${status} to another`);
  return (text ? JSON.parse(text) : undefined) as T;
}

function codeOf(status: number, text: string): ProblemCode {
  if (status !== 502) return 'unavailable';
  return text.includes('"error":"principal_refused"') ? 'principal_refused' : 'bad_gateway';
}

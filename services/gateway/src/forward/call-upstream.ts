import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { Problem } from '@expert-relay/kit/problem';
import { unavailable } from '../refusal/unavailable.ts';
import { type BreakKind, breakKind } from './break-kind.ts';
import type { Upstream } from './create-upstream.ts';

/** For the head of an answer, in milliseconds. */
const defaultHeadLimit = 30_000;
const refusedPause = 100;

export interface UpstreamCall {
  readonly upstream: Upstream;
  readonly method: string;
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer | undefined;
  readonly headLimit?: number;
  onAnswer(answer: IncomingMessage): void;
  onProblem(problem: Problem): void;
}

/**
 * Makes one call. Repeats it once when a kept-alive connection broke under it before the answer began
 * (`callId` lets the services tell that it is the same call), and once when a new connection was refused,
 * for then nothing was sent: of two instances one may just be restarting. Anything else is not repeated.
 *
 * Gives a function that ends the call.
 */
export function callUpstream(call: UpstreamCall): () => void {
  const { upstream, method, path, headers, body, headLimit = defaultHeadLimit } = call;
  let outgoing: ClientRequest;
  let mayRepeat = true;
  let mayKnockAgain = true;
  let over = false;
  let pausing: NodeJS.Timeout | undefined;

  function attempt(fresh: boolean): void {
    const current = upstream.open({ method, path, headers }, fresh);
    outgoing = current;
    const timer = setTimeout(() => settle('late'), headLimit);
    let settled = false;

    function settle(kind: BreakKind): void {
      clearTimeout(timer);
      if (settled || over) return;
      settled = true;
      afterBreak(kind, current.reusedSocket);
    }

    current.once('response', (answer) => {
      clearTimeout(timer);
      over = true;
      call.onAnswer(answer);
    });
    current.on('error', (error) => settle(breakKind(error)));
    current.once('close', () => settle('broken'));
    current.end(body);
  }

  function afterBreak(kind: BreakKind, reused: boolean): void {
    if (kind === 'broken' && reused && mayRepeat) {
      mayRepeat = false;
      attempt(true);
    } else if (kind === 'refused' && mayKnockAgain) {
      mayKnockAgain = false;
      pausing = setTimeout(() => attempt(true), refusedPause);
    } else fail(problemOf(kind, upstream.name));
  }

  function fail(problem: Problem): void {
    if (over) return;
    end();
    call.onProblem(problem);
  }

  function end(): void {
    over = true;
    clearTimeout(pausing);
    outgoing.destroy();
  }

  attempt(false);
  return end;
}

function problemOf(kind: BreakKind, name: string): Problem {
  if (kind === 'refused' || kind === 'unreached')
    return unavailable(`The ${name} service cannot be reached.`);
  const what = kind === 'late' ? 'did not answer in time' : 'broke off before it answered';
  return new Problem('bad_gateway', {
    detail: `The ${name} service ${what}: it is not known whether the call took effect.`,
    headers: { 'retry-after': '2' },
  });
}

import { Agent } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, type HttpCall, sendCall } from '../../black-box/http-call.ts';

/** Calls as a client does that wants to get through: again and again, until somebody says how it went. */
export interface Client {
  /** Gives nothing when time is up first: then nobody knows whether it was done. */
  call(call: HttpCall): Promise<Answer | undefined>;
  /** How often each answer came that was no answer yet. */
  readonly retries: ReadonlyMap<string, number>;
  close(): void;
}

const notYet = [429, 500, 502, 503, 504];
/** Counted apart: the contract promises the header with every 503. */
export const withoutRetryAfter = '503 without Retry-After';

export interface ClientOptions {
  /** A call without an answer for so long is made again. */
  readonly patienceMs?: number;
  /** Called with the time that each answer took. */
  readonly answered?: (ms: number) => void;
  /** Sent with every call. */
  readonly headers?: () => Readonly<Record<string, string>>;
}

export function createClient(baseUrl: string, givesUp: AbortSignal, options: ClientOptions = {}): Client {
  const { patienceMs = 3_000, answered = () => {}, headers = () => ({}) } = options;
  // Shorter than the server's 75 s: a call on a connection that the server is closing would get no answer.
  const agent = new Agent({ keepAlive: true, maxSockets: 200, timeout: 30_000 });
  const retries = new Map<string, number>();

  async function attempt(call: HttpCall): Promise<Answer | undefined> {
    try {
      const began = performance.now();
      const whole = { ...call, headers: { ...headers(), ...call.headers } };
      const answer = await sendCall(baseUrl, whole, agent, patienceMs);
      answered(performance.now() - began);
      if (!notYet.includes(answer.status)) return answer;
      const isSilent = answer.status === 503 && answer.headers['retry-after'] === undefined;
      count(isSilent ? withoutRetryAfter : String(answer.status));
    } catch (error) {
      const { cause } = error as { cause?: NodeJS.ErrnoException };
      count(`no answer (${cause?.code ?? 'too late, or cut'})`);
    }
    return undefined;
  }

  function count(what: string): void {
    retries.set(what, (retries.get(what) ?? 0) + 1);
  }

  return {
    retries,
    async call(call) {
      for (let wait = 50; !givesUp.aborted; wait = Math.min(wait * 2, 500)) {
        const answer = await attempt(call);
        if (answer) return answer;
        await pause(wait);
      }
      return undefined;
    },
    close: () => agent.destroy(),
  };
}

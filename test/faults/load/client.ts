import { Agent } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { type HttpCall, type HttpResponse, sendCall } from '../../black-box/http-call.ts';

/** Repeats each call until it gets a final response. */
export interface Client {
  /** `undefined` if there was no final response before the stop signal: the result of the call is unknown. */
  call(call: HttpCall): Promise<HttpResponse | undefined>;
  /** How often calls were repeated, by reason. */
  readonly retries: ReadonlyMap<string, number>;
  close(): void;
}

const temporaryStatuses = [429, 500, 502, 503, 504];
/** Counted separately, because the contract requires the header with every 503. */
export const withoutRetryAfter = '503 without Retry-After';

export interface ClientOptions {
  /** A call without a response in this time is repeated. */
  readonly timeoutMs?: number;
  /** Called with the duration of each answered call, and whether the response was final. */
  readonly answered?: (ms: number, isFinal: boolean) => void;
  /** Sent with every call. */
  readonly headers?: () => Readonly<Record<string, string>>;
}

export function createClient(baseUrl: string, stopSignal: AbortSignal, options: ClientOptions = {}): Client {
  const { timeoutMs = 3_000, answered = () => {}, headers = () => ({}) } = options;
  // Shorter than the server's 75 s: a call on a connection that the server closes would get no response.
  const agent = new Agent({ keepAlive: true, maxSockets: 200, timeout: 30_000 });
  const retries = new Map<string, number>();

  async function attempt(call: HttpCall): Promise<HttpResponse | undefined> {
    try {
      const began = performance.now();
      const whole = { ...call, headers: { ...headers(), ...call.headers } };
      const response = await sendCall(baseUrl, whole, agent, timeoutMs);
      const isFinal = !temporaryStatuses.includes(response.status);
      answered(performance.now() - began, isFinal);
      if (isFinal) return response;
      const lacksHeader = response.status === 503 && response.headers['retry-after'] === undefined;
      count(lacksHeader ? withoutRetryAfter : String(response.status));
    } catch (error) {
      const { cause } = error as { cause?: NodeJS.ErrnoException };
      count(`no response (${cause?.code ?? 'timeout, or cut'})`);
    }
    return undefined;
  }

  function count(what: string): void {
    retries.set(what, (retries.get(what) ?? 0) + 1);
  }

  return {
    retries,
    async call(call) {
      for (let wait = 50; !stopSignal.aborted; wait = Math.min(wait * 2, 500)) {
        const response = await attempt(call);
        if (response) return response;
        await pause(wait);
      }
      return undefined;
    },
    close: () => agent.destroy(),
  };
}

import { randomBytes } from 'node:crypto';
import { Agent } from 'node:http';
import { untilAvailable } from '@expert-relay/testkit';
import { type Caller, createCaller } from './caller.ts';
import { checkResponse } from './check-response.ts';
import { type Expert, signUp } from './expert.ts';
import { type HttpCall, type HttpResponse, sendCall } from './http-call.ts';

export interface Relay {
  readonly url: string;
  readonly hubUrl: string;
  /** A caller without a credential. */
  readonly anonymous: Caller;
  /** Sends a call unchanged. Its response is checked against docs/openapi.yaml. */
  call(call: HttpCall): Promise<HttpResponse>;
  /** Creates a user with a session and three keys, over HTTP. */
  signUp(name?: string): Promise<Expert>;
  stop(): Promise<void>;
}

/** A body that is made while it is sent can be sent once. */
const isRepeatable = ({ body }: HttpCall): boolean =>
  body === undefined || typeof body === 'string' || Buffer.isBuffer(body);

/** A client of a relay that throws if a response differs from docs/openapi.yaml. */
export function createRelay(options: { url: string; hubUrl: string; stop: () => Promise<void> }): Relay {
  const { url, hubUrl } = options;
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });

  async function callChecked(call: HttpCall): Promise<HttpResponse> {
    const send = () => sendCall(url, call, agent);
    const response = isRepeatable(call) ? await untilAvailable(send) : await send();
    const differences = checkResponse(call, response);
    if (response.status >= 500 && response.status !== 503)
      differences.unshift(`the relay failed: ${response.text}`);
    if (differences.length > 0) {
      throw new Error(
        `${call.method} ${call.path} -> ${response.status} differs from docs/openapi.yaml:\n- ${differences.join('\n- ')}`,
      );
    }
    return response;
  }

  return {
    url,
    hubUrl,
    anonymous: createCaller(callChecked, {}),
    call: callChecked,
    signUp: (name = 'user') => signUp(callChecked, `${name}-${randomBytes(6).toString('hex')}`),
    async stop() {
      agent.destroy();
      await options.stop();
    },
  };
}

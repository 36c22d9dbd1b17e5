import { randomBytes } from 'node:crypto';
import { Agent } from 'node:http';
import { type Answer, type HttpCall, sendCall } from './http-call.ts';
import { type Caller, createCaller } from './caller.ts';
import { checkAnswer } from './check-answer.ts';
import { type Expert, signUp } from './expert.ts';

export interface Relay {
  readonly url: string;
  readonly hubUrl: string;
  /** A caller without any credential. */
  readonly anonymous: Caller;
  /** A call as it stands; its answer is checked against the document. */
  call(call: HttpCall): Promise<Answer>;
  /** A new user with a session and three keys, made over HTTP alone. */
  signUp(name?: string): Promise<Expert>;
  stop(): Promise<void>;
}

/** Whoever calls a relay through this holds it to docs/openapi.yaml: an answer that differs fails the test. */
export function createRelay(options: { url: string; hubUrl: string; stop: () => Promise<void> }): Relay {
  const { url, hubUrl } = options;
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });

  async function callChecked(call: HttpCall): Promise<Answer> {
    const answer = await sendCall(url, call, agent);
    const faults = checkAnswer(call, answer);
    if (answer.status >= 500 && answer.status !== 503) faults.unshift(`the relay failed: ${answer.text}`);
    if (faults.length > 0) {
      throw new Error(
        `${call.method} ${call.path} -> ${answer.status} differs from docs/openapi.yaml:\n- ${faults.join('\n- ')}`,
      );
    }
    return answer;
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

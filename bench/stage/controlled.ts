import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { StepError } from '../../scripts/terminal/failure.ts';
import type { Usage } from '../programs/read-usage.ts';

/** A process that answers the bench. */
export interface Controlled {
  readonly name: string;
  /** Where it answers HTTP, if it does. */
  readonly port: number;
  usage(options?: { settled: boolean }): Promise<Usage>;
  ask<T>(command: string, input?: unknown): Promise<T>;
}

export function controlled(name: string, port: number, socketPath: string): Controlled {
  function ask<T>(command: string, input?: unknown): Promise<T> {
    return new Promise((resolve, reject) => {
      const call = request({ socketPath, method: 'POST', path: `/${command}` }, async (answer) => {
        const said = await text(answer);
        if (answer.statusCode === 200) resolve(JSON.parse(said));
        else reject(new StepError(`${name} failed during the run.`, { output: said.split('\n') }));
      });
      call.once('error', reject);
      call.end(input === undefined ? undefined : JSON.stringify(input));
    });
  }
  return { name, port, ask, usage: (options) => ask('usage', options) };
}

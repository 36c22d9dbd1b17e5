import { Session } from 'node:inspector/promises';
import type { Commands } from './answer-commands.ts';

/** The profiler of `node --cpu-prof`, switched on for one span: start-up and warm-up are not of interest. */
export function profileCommands(): Commands {
  let session: Session | undefined;
  return {
    async startProfile() {
      session = new Session();
      session.connect();
      await session.post('Profiler.enable');
      await session.post('Profiler.setSamplingInterval', { interval: 200 });
      await session.post('Profiler.start');
    },
    async stopProfile() {
      const stopped = await session?.post('Profiler.stop');
      session?.disconnect();
      return stopped?.profile;
    },
  };
}

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

/** A service of one part, whose server refuses the sign-in. It runs in a process of its own, which it ends. */
const program = `
  import { composeService, run } from '@expert-relay/kit/lifecycle';
  import { createLog } from '@expert-relay/kit/log';
  import { createMetrics } from '@expert-relay/kit/metrics';
  const settings = { host: '127.0.0.1', opsPort: 0, shutdownPause: 0, shutdownLimit: 10_000 };
  const redis = {
    name: 'redis',
    acceptance: () => ({ refused: 'WRONGPASS' }),
    stop: async () => console.log('stopped'),
  };
  const create = () =>
    composeService({
      name: 'test',
      parts: [redis],
      log: createLog('test', { level: 'silent' }),
      metrics: createMetrics('test', { forProcess: false }),
      settings,
      refusalPatienceMs: 0,
    });
  // Otherwise nothing would keep the process.
  setInterval(() => {}, 60_000);
  await run(() => ({ process: settings }), create);
`;

test('a server that refuses a service ends its process: it stops in order, says why, and exits with 1', async () => {
  const args = ['--input-type=module', '--eval', program];
  const cwd = fileURLToPath(new URL('../..', import.meta.url));
  const ended = await new Promise((resolve) => {
    execFile(process.execPath, args, { cwd }, (error, stdout, stderr) =>
      resolve({ code: error?.code, stdout, stderr }),
    );
  });
  expect(ended).toEqual({
    code: 1,
    stdout: 'stopped\n',
    stderr:
      'The sign-in to redis fails: WRONGPASS. Check its address, credentials, permissions and authorities.\n',
  });
});

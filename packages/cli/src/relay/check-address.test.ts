import { describe, expect, test } from '@jest/globals';
import { useTestCli } from '../testing/test-cli.ts';

const cli = useTestCli();

describe('an address that is not the gateway’s is reported at once', () => {
  test.concurrent.each([
    ['agent', ['ask', 'Well?']],
    ['agent', ['show']],
    ['agent', ['whoami']],
    ['expert', ['listen']],
    ['expert', ['answer', 'HS-00000000', 'Yes.']],
  ] as const)('to an %s, by relay %j', async (side, args) => {
    const { gatewayUrl, hubUrl } = cli.relay;
    const run = (RELAY_URL: string) => cli.run(args, { env: { ...cli[side], RELAY_URL } });
    const [withPath, hub] = await Promise.all([run(`${gatewayUrl}/api/v1`), run(hubUrl)]);
    expect(withPath).toMatchObject({
      code: 2,
      stderr: `RELAY_URL is wrong: ${gatewayUrl}/api/v1 has a path, and the relay is at the address without it.\nSet RELAY_URL=${gatewayUrl}\n`,
    });
    expect(hub).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`RELAY_URL is wrong: ${hubUrl} is the address of an event hub.\n`),
    });
  });
});

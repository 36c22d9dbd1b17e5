import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openTwoSides, type TwoSides } from '../testing/two-sides.ts';

let sides: TwoSides;
beforeAll(async () => {
  sides = await openTwoSides();
});
afterAll(() => sides.stop());

describe('an address that is not the gateway’s is named at once', () => {
  test.each([
    ['agent', ['ask', 'Well?']],
    ['agent', ['show']],
    ['agent', ['whoami']],
    ['expert', ['listen']],
    ['expert', ['answer', 'HS-00000000', 'Yes.']],
  ] as const)('to an %s, by relay %j', async (side, args) => {
    const { gatewayUrl, hubUrl } = sides.relay;
    const run = (RELAY_URL: string) => sides.run(args, { env: { ...sides[side], RELAY_URL } });
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

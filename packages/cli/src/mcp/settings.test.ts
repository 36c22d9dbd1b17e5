import { describe, expect, test } from '@jest/globals';
import { type McpSession, useMcpRelay } from '../testing/mcp-session.ts';

const { withSession } = useMcpRelay();
const question = 'May I remove the lock?';

describe('with wrong settings', () => {
  test.concurrent.each<[string, (session: McpSession) => string, RegExp]>([
    ['RELAY_URL', () => 'nonsense', /^RELAY_URL is not an address/],
    ['RELAY_API_KEY', () => 'hs_short', /^RELAY_API_KEY is not a key/],
    ['RELAY_EXPERT', () => '12345', /^RELAY_EXPERT is not a fingerprint/],
    ['RELAY_URL', ({ relay }) => `${relay.gatewayUrl}/api/v1`, /has a path.*\nSet RELAY_URL=http/],
    ['RELAY_URL', ({ relay }) => relay.hubUrl, /is the address of an event hub/],
  ])('of %s the server starts, and its tools say what is wrong: %#', (name, value, sentence) =>
    withSession(async (session) => {
      const agent = await session.start({ [name]: value(session) });
      for (const [tool, input] of [
        ['ask_expert', { question }],
        ['conversation_status', {}],
      ] as const) {
        expect(await agent.call(tool, input)).toMatchObject({
          isError: true,
          text: expect.stringMatching(sentence),
        });
      }
      expect((await agent.call('ask_expert', { question })).text).toContain('"env" in the MCP settings');
    })(),
  );

  test.concurrent(
    'a question that the relay has refused is not stored',
    withSession(async ({ tenant, start }) => {
      const wrongKey = tenant.consumerKey.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
      const agent = await start({ RELAY_API_KEY: wrongKey });
      expect(await agent.call('ask_expert', { question })).toMatchObject({ isError: true });
      expect((await agent.call('conversation_status')).data.conversations).toEqual([]);
    }),
  );
});

test.concurrent(
  'without settings the tools name what the user must set',
  withSession(async ({ tenant, start }) => {
    const withoutKey = await start({ RELAY_API_KEY: '' });
    const { isError, text } = await withoutKey.call('ask_expert', { question });
    expect({ isError, text }).toEqual({
      isError: true,
      text: expect.stringMatching(/^RELAY_API_KEY is not set .*"env"/),
    });
    const ofExpert = await start({ RELAY_API_KEY: tenant.providerKey });
    expect(await ofExpert.call('ask_expert', { question })).toMatchObject({ isError: true });
  }),
);

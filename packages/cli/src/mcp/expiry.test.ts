import { eventually } from '@expert-relay/testkit';
import { expect, test } from '@jest/globals';
import { useMcpRelay } from '../testing/mcp-session.ts';

const { withClient } = useMcpRelay({ env: { RELAY_CONVERSATION_TTL: '8s' } });

test.concurrent(
  'an agent with the MCP server learns that a conversation has expired without a decision',
  withClient(async (session) => {
    const { reference } = await session.ask({ form: { type: 'object', properties: {} } });
    const { data, text } = await eventually('the expiry', async () => {
      const answer = await session.wait(reference, 20);
      return answer.data?.outcome === 'expired' ? answer : undefined;
    });
    expect(data).toMatchObject({ outcome: 'expired', status: 'expired', form_is_open: true, answers: [] });
    expect(text).toMatch(/It ended without a decision\. .* neither a yes nor a no/);
    expect(text).toMatch(/\nNext: Do not do what you asked about\. .*call ask_expert\.$/);
  }),
);

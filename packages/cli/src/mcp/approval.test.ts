import { eventually } from '@expert-relay/testkit';
import { expect, test } from '@jest/globals';
import { useMcpRelay } from '../testing/mcp-session.ts';

/* One decision for every change. The others are in decisions.test.ts. */

const { withClient } = useMcpRelay();

test(
  "the expert's approval is given once, and stays in the transcript",
  withClient(async (session) => {
    const { reference, request } = await session.ask({
      question: 'May I?',
      form: { type: 'object', properties: {} },
    });
    await request.pickUp();
    await eventually('the form', async () => {
      await request.refresh();
      return request.form;
    });
    await request.answer('', { decision: { action: 'accept', content: {} } });
    const { data, text } = await session.wait(reference);
    expect(data).toMatchObject({
      outcome: 'accepted',
      decision: { action: 'accept', content: {}, comment: '' },
    });
    expect(text).toMatch(
      /^Outcome: accepted\nThe expert has approved HS-\w+\. .*\nNext: Go on with exactly what was asked/,
    );
    const later = await session.waitWithoutAnswer(reference);
    expect(later.data).toMatchObject({ form_is_open: false });
    expect(later.data.decision).toBeUndefined();
    const agent = await session.start();
    const status = await agent.call('conversation_status', { reference, transcript: true });
    expect(status.data.conversations[0]).toMatchObject({
      form_is_open: false,
      transcript: [{ from: 'you' }, { from: 'expert', decision: { action: 'accept', content: {} } }],
    });
  }),
);

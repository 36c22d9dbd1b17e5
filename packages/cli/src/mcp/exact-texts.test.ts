import { exactTexts, longText } from '@expert-relay/testkit';
import { expect, test } from '@jest/globals';
import { useMcpRelay } from '../testing/mcp-session.ts';

/* What either side wrote is in the results of tools to the character. */

const { withClient } = useMcpRelay();

test(
  'each text is in the results as it was written',
  withClient(async ({ agent, expert, wait }) => {
    for (const text of Object.values(exactTexts)) {
      const long = longText(text);
      const context = [{ role: 'user', content: long }];
      const { data } = await agent.call('ask_expert', { question: text, context });
      const { reference } = data;
      const request = await expert.request(reference);
      expect(request).toMatchObject({ question: text, context });
      await request.answer(long);
      const answered = await wait(reference);
      expect(answered.text).toContain(long);
      await agent.call('reply', { reference, text: long });
      const status = await agent.call('conversation_status', { reference, transcript: true });
      expect(status.text).toContain(`:\n${text}\n`);
      expect(status.text.split(long)).toHaveLength(3);
      await request.close({ reason: text });
      const ended = await wait(reference);
      expect(ended.text).toContain(JSON.stringify(text));
    }
  }),
);

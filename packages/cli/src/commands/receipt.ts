import { RelayError } from '@expert-relay/sdk';
import { defineCommand } from '../arguments/command.ts';
import { readRefCode } from '../arguments/read-values.ts';
import { Failure } from '../failure.ts';
import { notStored, openAgent } from '../relay/open-agent.ts';

export const receipt = defineCommand({
  name: 'receipt',
  summary: 'a proof of a decision, for those who were not there',
  usage: ['HS-... > decision.json'],
  about:
    'Prints the receipt of the decision that this machine has got about the newest form: `relay verify` checks it without the relay. Keep the file as it is. It shows the question, the form and the decision to anyone who has it. It is made of what the relay has, so make it before the relay erases that, 30 days after the end, or as its operator has set.',
  options: {
    whole: {
      help: 'open all messages before the decision, with their files; the receipt then has a key that opens all messages of this conversation, also later ones',
    },
  },
  examples: [
    'relay receipt HS-7KQ2M9XD > decision.json',
    'relay receipt HS-7KQ2M9XD --whole > decision.json',
  ],
  words: [1, 1],
  profiles: ['agent'],
  async run(context, { options: { whole }, words: [word = ''] }) {
    const { out, signal } = context;
    const refCode = readRefCode(word);
    const { conversations, connect, outages } = openAgent(context, {
      instead: 'Only the agent that asked can make a receipt.',
    });
    const relay = connect();
    try {
      const stored = await conversations.find(refCode);
      if (!stored?.state.request) throw notStored(refCode);
      const conversation = await relay.resume(stored.state, { signal });
      out.exact(await conversation.receipt({ whole, signal }));
      return 'done';
    } catch (error) {
      if (!RelayError.is(error, 'invalid_input')) throw error;
      const message = error.message.replace(
        'Wait for it first: `waitForDecision` returns it.',
        `Wait for it first: relay ask --resume ${refCode}`,
      );
      throw new Failure('usage', message, { code: error.code, cause: error });
    } finally {
      relay.stop();
      outages.stop();
    }
  },
});

import { createRelay } from '@expert-relay/sdk';

const question = [
  'This is an example question, from this page.',
  '',
  'The deploy of `shop` waits for a lock that is **two hours old**. May I remove the lock file?',
].join('\n');

/** Asks with encryption, as an agent does. While this page is open, it thanks for the answer. */
export async function askExample(apiKey: string): Promise<void> {
  const relay = createRelay({ url: location.origin, apiKey, agentName: 'example agent' });
  const conversation = await relay.ask({
    question,
    messages: [{ role: 'user', content: 'Roll the new release out.' }],
  });
  const thank = async () => {
    const answer = await conversation.waitForAnswer();
    await conversation.send(
      `Thank you. I have read your answer:\n\n> ${answer.text.replaceAll('\n', '\n> ')}`,
    );
    relay.stop();
  };
  void thank().catch(() => relay.stop());
}

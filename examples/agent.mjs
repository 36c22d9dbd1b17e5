// Asks an expert, end-to-end encrypted, and prints the verified answer. Run:
// RELAY_URL=http://127.0.0.1:8080 RELAY_API_KEY=hs_... node examples/agent.mjs "May I remove the lock file?"
import { createRelay } from '@expert-relay/sdk';

const { RELAY_URL: url = 'http://127.0.0.1:8080', RELAY_API_KEY: apiKey } = process.env;
if (!apiKey) {
  console.error('Set RELAY_API_KEY to the consumer key, as npm start prints it.');
  process.exit(2);
}
// Name the expert, with the fingerprint of `relay keys`: else whoever answers first at this relay counts.
const expert = process.env.RELAY_EXPERT?.split(',');
const relay = createRelay({ url, apiKey, expert });
const conversation = await relay.ask({ question: process.argv[2] ?? 'May I remove the lock file?' });
console.error(`Asked as ${conversation.refCode}. Waiting for the expert.`);
const answer = await conversation.waitForAnswer({ timeout: 72 * 3_600_000 });
console.log(answer.text);
await conversation.close();
relay.stop();

// Asks an expert, end-to-end encrypted, and prints the verified answer. Run:
// RELAY_URL=http://127.0.0.1:8080 RELAY_API_KEY=hs_... node examples/agent.mjs "May I remove the lock file?"
import { createRelay } from '@expert-relay/sdk';

if (!process.env.RELAY_API_KEY) {
  console.error('Set RELAY_API_KEY to the consumer key, as npm start prints it.');
  process.exit(2);
}
// RELAY_EXPERT names the expert, with the fingerprint of `relay keys`: else whoever answers first at this relay counts.
const relay = createRelay();
const conversation = await relay.ask({ question: process.argv[2] ?? 'May I remove the lock file?' });
console.error(`Asked as ${conversation.refCode}. Waiting for the expert.`);
const answer = await conversation.waitForAnswer({ timeoutMs: 72 * 3_600_000 });
console.log(answer.text);
await conversation.close();
relay.stop();

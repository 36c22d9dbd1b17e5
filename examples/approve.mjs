// Asks an expert for an approval, end-to-end encrypted. It ends with 0 only if the expert has approved. Run:
// RELAY_URL=http://127.0.0.1:8080 RELAY_API_KEY=hs_... node examples/approve.mjs "Restart api in staging?" && ./restart.sh
import { createRelay } from '@expert-relay/sdk';

const [, , question] = process.argv;
if (!process.env.RELAY_API_KEY || !question) {
  console.error('Set RELAY_API_KEY to the consumer key, as npm start prints it, and give a question.');
  process.exit(2);
}
// RELAY_EXPERT names the experts who may approve, with the fingerprints of `relay keys`: a person, and a bot if there is one.
const relay = createRelay();
// A timeout, an end without a decision and every error throw: then this program fails as well.
const { approved, comment } = await relay.approve(question, { timeoutMs: 72 * 3_600_000 });
console.log(approved ? `Approved. ${comment}` : `Declined. ${comment}`);
relay.stop();
process.exitCode = approved ? 0 : 1;

// Asks an expert for an approval, once, however often it is killed and started again. It ends with 0 only if the
// answer is a yes. Run, with RELAY_URL, RELAY_API_KEY and RELAY_EXPERT set:
// node examples/restarting-agent.mjs "deploy 4711" "Deploy 4711?"
import { createRelay } from '@expert-relay/sdk';
import { createFileStore } from '@expert-relay/sdk/node';

const { AGENT_FOLDER: folder = '.relay/agent' } = process.env;
const [, , once, question] = process.argv;
if (!once || !question) {
  console.error('Give the name of this run, and the question.');
  process.exit(2);
}
const store = createFileStore(folder);
const relay = createRelay({ store });
const { approved, comment } = await relay.approve(question, { once, timeoutMs: 72 * 3_600_000 });
console.log(approved ? `Approved. ${comment}` : `Declined. ${comment}`);
relay.stop();
process.exitCode = approved ? 0 : 1;

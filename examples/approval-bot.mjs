// Approves what a rule allows, end-to-end encrypted, and leaves everything else to a person. Run:
// RELAY_URL=http://127.0.0.1:8080 RELAY_API_KEY=hs_prov_... node examples/approval-bot.mjs
import { createExpert } from '@expert-relay/sdk/expert';
import { isApproval } from '@expert-relay/sdk/forms';
import { openFolder } from './bot-folder.mjs';

const { RELAY_URL: url = 'http://127.0.0.1:8080', RELAY_API_KEY: apiKey } = process.env;
const { BOT_FOLDER: folder = '.relay/approval-bot' } = process.env;
if (!apiKey) {
  console.error('Set RELAY_API_KEY to the provider key, as npm start prints it.');
  process.exit(2);
}

const expert = createExpert({ url, apiKey, ...(await openFolder(folder)) });
console.error(`I am ${await expert.fingerprint()}. Waiting for approvals; Ctrl-C ends.`);
for await (const request of expert.requests()) {
  if (!mayApprove(request)) {
    // Not picked up: a person picks it up with other keys, and answers it.
    console.error(`${request.refCode} is left to a person.`);
    continue;
  }
  try {
    const decision = { action: 'accept', content: {}, of: request.form.of };
    await request.answer('Approved by a rule: staging may be restarted.', { decision });
    console.error(`${request.refCode} is approved.`);
  } catch (error) {
    // An error in one request must not stop the others.
    console.error(`${request.refCode} is not approved. ${error.message}`);
  }
}

/** The rule. It compares the whole question: a part that looks harmless says nothing about the rest. */
function mayApprove({ form, decision, question, context, encrypted, isPickedUp, responseCount }) {
  const isAsked = form?.form !== undefined && isApproval(form.form) && decision === 'open';
  const isNew = encrypted && !isPickedUp && responseCount === 0 && context.length === 0;
  return isAsked && isNew && /^Restart [a-z-]{1,40} in staging\?$/.test(question);
}

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
for await (const request of expert.requests({ filter })) {
  const { form, isReopened, refCode } = request;
  try {
    // The agent wrote at the same time as the approval, which therefore does not count. The rule does not know what it wrote.
    const action = isReopened ? 'decline' : 'accept';
    const comment = isReopened
      ? 'A rule read only the question, and you have written more. Ask again.'
      : 'Approved by a rule: staging may be restarted.';
    const content = isReopened ? undefined : {};
    await request.answer(comment, { decision: { action, content, of: form.of } });
    console.error(`${refCode} is ${isReopened ? 'declined' : 'approved'}.`);
  } catch (error) {
    // An error in one request must not stop the others.
    console.error(`${refCode} is not approved. ${error.message}`);
  }
}

function filter(request) {
  const isMine = mayApprove(request);
  // Not picked up: a person picks it up with other keys, and answers it.
  if (!isMine) console.error(`${request.refCode} is left to a person.`);
  return isMine;
}

/**
 * The rule. It compares the whole question: a part that looks harmless says nothing about the rest. So a request with files or with a
 * confidential question, which the bot could read only after the pick-up, is none of its own.
 */
function mayApprove({
  form,
  decision,
  question,
  context,
  encrypted,
  isPickedUp,
  responseCount,
  missingParts,
}) {
  const isAsked = form?.form !== undefined && isApproval(form.form) && decision === 'open';
  const isNew = encrypted && !isPickedUp && responseCount === 0 && context.length === 0 && !missingParts;
  return isAsked && isNew && /^Restart [a-z-]{1,40} in staging\?$/.test(question);
}

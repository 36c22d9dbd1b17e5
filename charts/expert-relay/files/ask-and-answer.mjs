// node ask-and-answer.mjs <gateway> <hub>, in the image of the requests service
//
// `helm test`: makes a user, asks as its agent, answers as its expert, receives the event from the hub, and erases the user.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const [gateway = '', hub = ''] = process.argv.slice(2);
const run = promisify(execFile);
/** @param {string[]} args */
const admin = async (...args) => {
  try {
    return (await run(process.execPath, ['services/requests/dist/admin.js', ...args])).stdout;
  } catch (error) {
    console.error(/** @type {{ stderr: string }} */ (error).stderr);
    throw new Error(`${args[0]} failed.`);
  }
};
const giveUp = AbortSignal.timeout(60_000);
const answer = 'Yes, it is stale.';

const { userId, keys } = JSON.parse(
  await admin('create-user', '--name', 'helm-test', '--key', 'consumer', '--key', 'provider', '--json'),
);
console.log(`Made the user ${userId}.`);
try {
  const [consumer, provider] = ['consumer', 'provider'].map((kind) =>
    keys.find((/** @type {{ kind: string }} */ key) => key.kind === kind),
  );
  const question = 'May I remove the lock file?';
  const asked = await call('/api/v1/help', '', {
    apiKey: consumer.key,
    messages: [],
    question,
    plaintext: question,
  });
  console.log(`Asked: ${asked.refCode}.`);
  await call(`/api/v1/message/${asked.requestId}`, provider.key, { role: 'provider', plaintext: answer });
  const { messages } = await call(`/api/v1/messages/${asked.requestId}`, consumer.key);
  if (messages[0]?.plaintext !== answer) throw new Error('The answer did not arrive.');
  console.log('Answered.');
  await hearOf('new_message', asked.requestId, consumer.key);
  console.log('The hub has sent the event.');
} finally {
  await admin('erase-user', '--user', userId, '--yes');
  console.log('Erased the user.');
}

/** @param {string} path @param {string} key @param {object} [body] */
async function call(path, key, body) {
  const response = await fetch(`${gateway}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { ...(key && { 'x-api-key': key }), ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
    signal: giveUp,
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`);
  return JSON.parse(text);
}

/** @param {string} type @param {string} requestId @param {string} key */
async function hearOf(type, requestId, key) {
  const response = await fetch(`${hub}/?topic=/svc/requests/${requestId}&lastEventId=earliest`, {
    headers: { 'x-api-key': key },
    signal: giveUp,
  });
  if (!response.ok || !response.body) {
    throw new Error(`The hub answered ${response.status}: ${await response.text()}`);
  }
  let text = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (text.includes(`"type":"${type}"`)) return;
  }
  throw new Error(`The stream ended without a ${type}.`);
}

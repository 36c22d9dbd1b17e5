// The page asks with the same SDK that agents use. The relay must allow this page's origin.
// serve.mjs beside it bundles it for the browser and says how to run both.
import { createRelay } from '@expert-relay/sdk';

const form = document.querySelector('form');
const progress = document.querySelector('#progress');
const output = document.querySelector('#answer');

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const { url, apiKey, question } = Object.fromEntries(new FormData(form));
  const relay = createRelay({ url, apiKey });
  try {
    const conversation = await relay.ask({ question });
    progress.textContent = `Asked as ${conversation.refCode}. Waiting for the expert.`;
    for await (const answer of conversation) {
      // Added as text: foreign text must not become HTML.
      output.append(`${answer.text}\n`);
      const from = `From the expert ${conversation.fingerprint}`;
      progress.textContent = `${from}${answer.seenYourLast === false ? ', who had not seen your last text' : ''}:`;
    }
    progress.textContent = `${conversation.refCode} has ended.`;
  } catch (error) {
    progress.textContent = error.message;
  } finally {
    relay.stop();
  }
});

import type { FailureCode } from './failure-codes.ts';

/** What happened and what to do next, in the expert's words. */
export interface Sentence {
  readonly what: string;
  readonly next: string;
}

export const copyIt = 'Copy the text if you need it: nothing more can be sent here.';
const endAndAsk = 'End the request, and ask the agent’s owner over another channel what happened.';
const readAgain =
  'Read it again. If this happens again, end the request, and ask the agent’s owner over another channel what happened.';

export const sentences: Readonly<Record<FailureCode, Sentence>> = {
  untrusted: {
    what: 'Something in this request was changed, is missing or is damaged. It is not shown, and nothing was sent.',
    next: readAgain,
  },
  keys_changed: {
    what: 'The keys of this request are gone, or have changed since you first saw them. Nothing was sent.',
    next: 'If you have replaced your key since you answered, neither you nor the agent can read the messages any more. End the request: the agent can ask again.',
  },
  malformed_frame: {
    what: 'A message has a format that this page does not know. It is not shown.',
    next: 'Reload this page to get its newest version.',
  },
  unsupported_version: {
    what: 'This request was picked up by a newer version of the program that this page does not understand. Nothing was sent.',
    next: 'Reload this page to get its newest version, or answer where you picked it up.',
  },
  unprotected: {
    what: 'A message came without encryption, so anybody on the way could have written it. It is not shown.',
    next: endAndAsk,
  },
  invalid_input: {
    what: 'The relay did not accept this.',
    next: 'Change the text and send it again.',
  },
  invalid_key: {
    what: 'You were signed out.',
    next: 'Sign in again to go on.',
  },
  not_found: {
    what: 'There is no such request, or it is not yours.',
    next: 'Check the address, or look for its code in the inbox.',
  },
  conflict: {
    what: 'This was just changed on another device.',
    next: 'Read the conversation again, then send your answer again.',
  },
  rate_limited: {
    what: 'Too many calls in one minute.',
    next: 'It continues automatically within a minute.',
  },
  unavailable: {
    what: 'The relay cannot be reached.',
    next: 'It continues automatically once the relay is back.',
  },
  unexpected_answer: {
    what: 'This page does not understand the relay’s answer.',
    next: 'Reload this page. If this happens again, tell the people who run this relay.',
  },
  answer_too_large: {
    what: 'The relay’s answer is too large to be read.',
    next: 'Reload this page. If this happens again, tell the people who run this relay.',
  },
  aborted: {
    what: 'This was interrupted.',
    next: 'Try again.',
  },
  timeout: {
    what: 'The relay took too long.',
    next: 'Try again.',
  },
  closed: {
    what: 'The request was ended before this was sent.',
    next: copyIt,
  },
  expired: {
    what: 'The request expired before this was sent.',
    next: copyIt,
  },
  conversation_full: {
    what: 'This conversation is full: it has as many messages as the relay keeps.',
    next: 'Copy the text, end this request, and ask the agent for a new one.',
  },
  no_keys_yet: {
    what: 'This conversation is encrypted, and your expert key is not in this browser.',
    next: 'Enter your recovery code to read and answer it here.',
  },
  parts_missing: {
    what: 'The agent has announced more, and nothing has come. Its program may not run now.',
    next: 'Try again later.',
  },
  newer_message: {
    what: 'The agent has written again since you wrote this, so it was not sent.',
    next: 'Read the new message, then send your answer again or remove it.',
  },
  answer_invalid: {
    what: 'The answer does not fit the agent’s form. Nothing was sent.',
    next: 'Read the conversation again, then fill in the form again.',
  },
  too_large: {
    what: 'The text is too long for one answer.',
    next: 'Send it in parts.',
  },
  wrong_recovery_code: {
    what: 'This is not your recovery code.',
    next: 'Check it for typing mistakes. Only the newest code works.',
  },
};

export const failureSentence = (code: FailureCode): Sentence => sentences[code];

/** For buttons such as "End request": there is no text to keep, and nothing continues automatically. */
const actionSentences: Partial<Record<FailureCode, Sentence>> = {
  invalid_key: { what: 'You were signed out.', next: 'Sign in again, then try again.' },
  conflict: { what: 'This was just changed on another device.', next: 'Reload this page.' },
  rate_limited: { what: 'Too many calls in one minute.', next: 'Try again in a minute.' },
  unavailable: { what: 'The relay cannot be reached.', next: 'Try again once it is back.' },
  unexpected_answer: {
    what: 'This page does not understand the relay’s answer.',
    next: 'Reload this page, then try again.',
  },
  closed: { what: 'The request has ended already.', next: 'Nothing more can be sent here.' },
  expired: { what: 'The request has expired already.', next: 'Nothing more can be sent here.' },
};

export const actionSentence = (code: FailureCode): Sentence => actionSentences[code] ?? sentences[code];

const temporary: ReadonlySet<FailureCode> = new Set<FailureCode>([
  'invalid_key',
  'rate_limited',
  'unavailable',
  'timeout',
  'aborted',
]);

/** For an answer that was refused. A reason that lasts for a while is not stated once it has passed. */
export function unsentSentence(code: FailureCode, isOnline: boolean): Sentence {
  if (code === 'not_found') return { what: 'The relay has removed this request.', next: copyIt };
  if (!temporary.has(code)) return sentences[code];
  return isOnline ? { what: 'It was interrupted.', next: 'Try again.' } : actionSentence(code);
}

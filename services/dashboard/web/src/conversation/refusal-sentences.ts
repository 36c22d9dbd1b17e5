import { RelayError, type RelayErrorCode } from '@expert-relay/sdk';

/** What happened and what to do next, in the expert's words. */
export interface Sentence {
  readonly what: string;
  readonly next: string;
}

const closeAndAsk = 'Close the request, and ask the agent’s owner over another channel what happened.';

const refusals = {
  invalid_public_key: {
    what: 'The agent’s key is not a valid one. Nothing was sent to it.',
    next: 'Close the request; the agent has to ask again with new keys.',
  },
  unknown_expert: {
    what: 'The keys of this request belong to another expert. Nothing was sent to them.',
    next: closeAndAsk,
  },
  key_signature_missing: {
    what: 'Nothing proves that the keys of this request are yours. Nothing was sent to them.',
    next: closeAndAsk,
  },
  key_signature_wrong: {
    what: 'The keys of this request were exchanged on their way. Nothing was sent to them.',
    next: closeAndAsk,
  },
  question_altered: {
    what: 'The question is not the one that you were shown first. Nothing was sent.',
    next: closeAndAsk,
  },
  keys_changed: {
    what: 'The keys of this request are gone, or are not the ones seen first. Nothing was sent to them.',
    next: 'If you answered with an older expert key, go on where that key is. Otherwise close the request.',
  },
  malformed_message: {
    what: 'A message is damaged and is not shown. What came before it is kept.',
    next: 'Read the conversation again. If it stays, ask the agent for a new request.',
  },
  wrong_role: {
    what: 'A message of one side was presented as the other’s, and is not shown.',
    next: closeAndAsk,
  },
  wrong_sender_key: {
    what: 'A message was made with another key than its sender’s, and is not shown.',
    next: 'Read the conversation again. If it stays, close the request; the agent has to make a new request.',
  },
  wrong_signature: {
    what: 'A message was not signed by its sender: somebody else wrote or changed it. It is not shown.',
    next: closeAndAsk,
  },
  undecryptable: {
    what: 'A message cannot be opened with the keys of this request, and is not shown.',
    next: 'Read the conversation again. If it stays, close the request; the agent has to make a new request.',
  },
  malformed_frame: {
    what: 'A message was written in a form that this page does not know, and is not shown.',
    next: 'Load this page again to get its newest version.',
  },
  message_missing: {
    what: 'Earlier messages are missing or are out of order. What you read before is kept.',
    next: 'Read the conversation again. If it stays, somebody holds messages back: close the request.',
  },
  message_replayed: {
    what: 'A message was presented a second time. What you read before is kept.',
    next: 'Read the conversation again. If it stays, close the request.',
  },
  plaintext_refused: {
    what: 'A message came without encryption, so anybody on the way could have written it. It is not shown.',
    next: closeAndAsk,
  },
} as const satisfies Partial<Record<RelayErrorCode, Sentence>>;

/** One for each code of the SDK: the compiler finds a missing one. */
const sentences: Readonly<Record<RelayErrorCode, Sentence>> = {
  ...refusals,
  invalid_input: {
    what: 'The relay did not accept this.',
    next: 'Change the text and send it again.',
  },
  invalid_key: {
    what: 'You were signed out. What you typed is kept.',
    next: 'Sign in again, then send it again.',
  },
  not_found: {
    what: 'There is no such request, or it is not yours.',
    next: 'Check the address, or look for its code in the inbox.',
  },
  conflict: {
    what: 'This was changed on another device a moment ago.',
    next: 'Read the conversation again, then send your answer again.',
  },
  rate_limited: {
    what: 'Too many calls in one minute. Your text is kept.',
    next: 'It continues by itself within a minute.',
  },
  unreachable: {
    what: 'The relay cannot be reached. Your text is kept.',
    next: 'It continues by itself once the relay is back.',
  },
  unexpected_answer: {
    what: 'The relay answered something that this page does not understand. Your text is kept.',
    next: 'Load this page again. If it stays, tell the people who run this relay.',
  },
  answer_too_large: {
    what: 'The relay’s answer is too large to be read.',
    next: 'Load this page again. If it stays, tell the people who run this relay.',
  },
  aborted: {
    what: 'This was interrupted. Your text is kept.',
    next: 'Send it again.',
  },
  timeout: {
    what: 'The relay took too long. Your text is kept.',
    next: 'Send it again.',
  },
  conversation_closed: {
    what: 'The request was closed before this went out.',
    next: 'Copy the text if you need it: nothing more can be sent here.',
  },
  conversation_expired: {
    what: 'The time of this request was over before this went out.',
    next: 'Copy the text if you need it: nothing more can be sent here.',
  },
  no_keys_yet: {
    what: 'This conversation is encrypted, and your expert key is not in this browser.',
    next: 'Enter your recovery code to read and answer it here.',
  },
  message_too_large: {
    what: 'The text is too long for one answer.',
    next: 'Send it in parts.',
  },
  wrong_recovery_code: {
    what: 'This is not your recovery code.',
    next: 'Check it for typing mistakes. The newest code counts.',
  },
  malformed_vault: {
    what: 'The relay keeps something that is not your expert key.',
    next: 'Open this page on a device that has the key, and make a new recovery code there.',
  },
};

export const refusalSentence = (code: RelayErrorCode): Sentence => sentences[code];

/** Whether the code means that a third party may have interfered. */
export const isRefusal = (code: RelayErrorCode): boolean => Object.hasOwn(refusals, code);

export const codeOf = (error: unknown): RelayErrorCode =>
  error instanceof RelayError ? error.code : 'unexpected_answer';

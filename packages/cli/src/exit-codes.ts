/**
 * How a command ended, for scripts. The numbers never change their meaning; a new outcome gets a new number.
 */
export const exitCodes = {
  done: {
    code: 0,
    means: 'answered, or done; accepted, where an approval, a choice or a form was asked for',
  },
  failed: {
    code: 1,
    means: 'something unexpected, a result that could not be written, or a check of `relay doctor` failed',
  },
  usage: { code: 2, means: 'the command line or a RELAY_ variable is wrong; nothing was sent' },
  timeout: { code: 3, means: 'no answer or no decision within --wait; `relay ask --resume` continues' },
  closed: { code: 4, means: 'the conversation was closed without an answer or a decision' },
  expired: { code: 5, means: 'the conversation expired without an answer or a decision' },
  refused: { code: 6, means: 'the relay refused the key (401 or 403)' },
  untrusted: {
    code: 7,
    means: 'keys, a message or a receipt are not what they should be; nothing of it was shown',
  },
  unreachable: { code: 8, means: 'the relay could not be reached, or was too busy; try again' },
  unknown: { code: 9, means: 'there is no such request or webhook, or it is not yours' },
  state: {
    code: 10,
    means: 'a file of the state folder is damaged or in use, or others can enter the folder',
  },
  plaintext: {
    code: 11,
    means:
      'an answer came as plain text, which the relay could have written; it was not shown; see `--accept-unprotected`',
  },
  unseen: {
    code: 12,
    means:
      'the question, its files, or a newer message of the agent were not shown here before; nothing was sent; see `relay show`',
  },
  declined: { code: 13, means: 'the expert has declined; see the comment' },
  invalid: {
    code: 14,
    means: 'a decision does not fit the form, or two contradict each other: neither a yes nor a no',
  },
  stale: {
    code: 15,
    means:
      'the expert has accepted, and longer ago than --valid-for, or with a clock that is ahead: neither a yes nor a no; ask again',
  },
  unidentified: {
    code: 16,
    means:
      'a receipt is valid, and no fingerprint was given: it is not known whose decision it is; see `relay verify`',
  },
  interrupted: { code: 130, means: 'Ctrl-C' },
  terminated: { code: 143, means: 'SIGTERM, SIGHUP when the terminal is closed, or SIGQUIT' },
} as const satisfies Record<string, { code: number; means: string }>;

export type Outcome = keyof typeof exitCodes;

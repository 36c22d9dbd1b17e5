import type { Given } from '../../arguments/command.ts';
import { Failure } from '../../failure.ts';
import { attachOption } from '../../files/file-to-send.ts';
import type { GivenContent } from '../../forms/read-content.ts';

/** The options of `relay answer`. */
export const answerOptions = {
  approve: { help: 'accept what the agent asks for, also a form as it is filled in; the text is a comment' },
  decline: { help: 'decline it, also a form; the text is a comment' },
  choose: { value: 'OPTION', many: true, help: 'choose an option of the form' },
  set: {
    value: 'NAME=VALUE',
    many: true,
    help: 'fill in a field of the form; NAME= leaves it empty. The others stay as the agent has filled them in',
  },
  attach: attachOption,
  plaintext: { help: 'allow plain text where only one side has keys: the relay can read it' },
  'even-if-newer': {
    help: 'send it although the agent has written something newer; the agent sees that you had not read it. A form that was not shown is not decided',
  },
  'without-parts': {
    help: 'send it although files that the agent has announced have not come within 30 s; never without the question of a confidential request',
  },
  json: { help: 'one JSON object' },
} as const;

export interface AnswerPlan {
  /** `ask`: the user decides at the terminal. */
  readonly kind: 'text' | 'accept' | 'decline' | 'ask';
  /** The text or the comment, or `-` for stdin. */
  readonly word: string | undefined;
  readonly given: GivenContent;
  readonly files: readonly string[];
}

/** @throws Failure `usage` */
export function readAnswerPlan(
  options: Given<typeof answerOptions>,
  word: string | undefined,
  isTerminal: boolean,
): AnswerPlan {
  const { approve, decline, choose = [], set = [], attach = [] } = options;
  const fills = choose.length > 0 || set.length > 0;
  const refuse = (message: string) => new Failure('usage', `${message}\nMore: relay help answer`);
  if (decline && approve) throw refuse('--approve and --decline contradict each other.');
  if (decline && fills) throw refuse('--decline fills in nothing: leave out --choose and --set.');
  const kind = decline
    ? 'decline'
    : approve || fills
      ? 'accept'
      : word !== undefined || attach.length > 0
        ? 'text'
        : 'ask';
  if (kind === 'ask' && !isTerminal)
    throw refuse('What is the answer? relay answer HS-... "...", or --approve, --decline, --choose, --set.');
  return { kind, word, given: { chosen: choose, set }, files: attach };
}

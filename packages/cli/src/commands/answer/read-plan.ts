import type { Given } from '../../arguments/command.ts';
import { Failure } from '../../failure.ts';
import { attachOption } from '../../files/file-to-send.ts';
import type { GivenContent } from '../../forms/read-content.ts';

/** The options of `relay answer`. */
export const answerOptions = {
  approve: { help: 'approve what the agent asks for; the text is a comment' },
  decline: { help: 'decline it, also a form; the text is a comment' },
  choose: { value: 'OPTION', many: true, help: 'choose an option of the form' },
  set: { value: 'NAME=VALUE', many: true, help: 'fill in a field of the form; NAME= leaves it empty' },
  'accept-defaults': { help: 'fill in the other fields as the agent has prefilled them' },
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
  const acceptsDefaults = options['accept-defaults'] === true;
  const fills = choose.length > 0 || set.length > 0 || acceptsDefaults;
  const refuse = (message: string) => new Failure('usage', `${message}\nMore: relay help answer`);
  if (decline && approve) throw refuse('--approve and --decline contradict each other.');
  if (decline && fills)
    throw refuse('--decline fills in nothing: leave out --choose, --set and --accept-defaults.');
  const kind = decline
    ? 'decline'
    : approve || fills
      ? 'accept'
      : word !== undefined || attach.length > 0
        ? 'text'
        : 'ask';
  if (kind === 'ask' && !isTerminal)
    throw refuse('What is the answer? relay answer HS-... "...", or --approve, --decline, --choose, --set.');
  return { kind, word, given: { chosen: choose, set, acceptsDefaults }, files: attach };
}

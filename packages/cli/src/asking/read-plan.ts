import type { Form } from '@expert-relay/sdk/forms';
import type { Given } from '../arguments/command.ts';
import { readDuration, readRefCode } from '../arguments/read-values.ts';
import { type Config, readAgentName } from '../config.ts';
import { Failure } from '../failure.ts';
import { attachOption } from '../files/file-to-send.ts';
import { acceptUnprotectedOption } from '../relay/open-agent.ts';

/** The options of `relay ask`. */
export const askOptions = {
  context: {
    value: 'FILE',
    help: 'the context of the question: a file, or - for stdin; a text, which is shown as it is, or the messages of a model as JSON (OpenAI, Anthropic, LangChain, AI SDK)',
  },
  choice: {
    value: 'OPTION',
    many: true,
    help: 'an option; given several times, the expert chooses one of them, and it is printed',
  },
  form: {
    value: 'FILE',
    help: 'a form, as JSON Schema, that the expert fills in; its values are printed as JSON. - for stdin',
  },
  attach: attachOption,
  wait: {
    value: 'TIME',
    alias: 'timeout',
    help: 'how long to wait for the answer once the question was sent, such as 90s or 2h; 10m by default',
  },
  'no-wait': { help: 'do not wait: print the reference code and exit' },
  confidential: {
    help: 'hide the question from the relay: it is sent encrypted once the expert picks it up',
  },
  'expires-in': {
    value: 'TIME',
    help: 'how long the conversation lasts at most, from 60s to the limit of the relay (72h), which is the default',
  },
  tag: {
    value: 'WORD',
    many: true,
    help: 'a word by which your expert sorts requests; the relay can read it',
  },
  plaintext: { help: 'no encryption: the relay can read and write everything' },
  'accept-unprotected': acceptUnprotectedOption,
  as: { value: 'NAME', help: 'the name that the expert sees, signed; else RELAY_AGENT_NAME' },
  'include-early': { help: 'also accept an answer that was written before your last message was read' },
  once: {
    value: 'NAME',
    help: 'a name for this question, such as job-7/deploy: it is asked once, however often the command runs with it',
  },
  resume: { value: 'HS-...', help: 'continue a conversation; a text is sent first' },
  again: { help: 'with --resume: send the form again, after decisions that contradict each other' },
  json: { help: 'one JSON object, also for errors' },
} as const;

/** Where a form comes from: `--choice`, `--form`, `relay approve` or `relay hook`. */
export type FormSource =
  | { readonly choices: readonly string[] }
  | { readonly file: string }
  | { readonly form: Form }
  | 'approval';

export interface AskPlan {
  readonly words: readonly string[];
  readonly context: string | undefined;
  /** What the expert is asked for, besides words. */
  readonly asksFor: FormSource | undefined;
  /** Paths of files. */
  readonly attach: readonly string[];
  readonly wait: number | undefined;
  readonly expiresInMs: number | undefined;
  readonly tags: readonly string[] | undefined;
  readonly confidential: boolean;
  readonly encrypted: boolean;
  /** Whether answers are accepted that the relay could have written or replaced. */
  readonly acceptsUnprotected: boolean;
  /** Whether answers count that had not seen the last message. */
  readonly includeEarly: boolean;
  /** The name of the question. */
  readonly once: string | undefined;
  /** Whether the newest form is sent again. */
  readonly again: boolean;
  /** A reference code, or the id of one that never got a code. */
  readonly resume: string | undefined;
  readonly json: boolean;
  /** The agent's name, which the expert signs. */
  readonly agentName: string | undefined;
}

/** What is asked. */
export type QuestionPlan = Pick<
  AskPlan,
  'words' | 'confidential' | 'encrypted' | 'acceptsUnprotected' | 'agentName'
> &
  Partial<Pick<AskPlan, 'context' | 'asksFor' | 'attach' | 'expiresInMs' | 'tags' | 'once'>> & {
    /** How old an accept may be, in milliseconds. */
    readonly validForMs?: number | undefined;
  };

export function readPlan(
  options: Given<typeof askOptions>,
  words: readonly string[],
  config: Config,
): AskPlan {
  const {
    context,
    choice,
    form,
    attach = [],
    wait,
    confidential,
    'expires-in': expiresIn,
    tag: tags,
    plaintext,
    'include-early': includeEarly,
    once,
    resume,
    again = false,
    json,
  } = options;
  const noWait = options['no-wait'];
  const acceptsUnprotected = config.acceptsUnprotected || options['accept-unprotected'] === true;
  const refuse = (message: string) => new Failure('usage', `${message}\nMore: relay help ask`);
  if (resume === undefined && words.length === 0) throw refuse('What is the question? relay ask "..."');
  if (wait && noWait) throw refuse('--wait and --no-wait contradict each other.');
  if (plaintext && confidential) throw refuse('--plaintext and --confidential contradict each other.');
  if (plaintext && config.expert && !acceptsUnprotected) {
    throw refuse(
      'RELAY_EXPERT accepts encrypted answers only. Unset it for --plaintext, or add --accept-unprotected.',
    );
  }
  if (resume && (context || confidential || plaintext || expiresIn || tags)) {
    throw refuse(
      '--resume continues a conversation: --context, --confidential, --plaintext, --expires-in and --tag are for a new one.',
    );
  }
  if (resume && once)
    throw refuse('--resume and --once contradict each other: with --once, run the same command again.');
  if (once !== undefined && (once === '' || Buffer.byteLength(once) > 255))
    throw refuse('--once has 1 to 255 bytes.');
  if ([context, form, words[0]].filter((source) => source === '-').length > 1)
    throw refuse('Only one of question, --context and --form can be piped in.');
  if (choice && form) throw refuse('--choice and --form contradict each other.');
  if (includeEarly && (choice || form))
    throw refuse('--include-early is for answers in words: a decision always knows your last message.');
  if (again && (resume === undefined || choice || form))
    throw refuse('--again sends the newest form of a conversation: relay ask --resume HS-... --again');
  if (resume && !again && words.length === 0 && (choice || form || attach.length > 0))
    throw refuse('--choice, --form and --attach go with a text: relay ask --resume HS-... "..."');
  return {
    words,
    context,
    asksFor: choice ? { choices: choice } : form ? { file: form } : undefined,
    attach,
    wait: noWait ? undefined : readDuration('--wait', wait ?? '10m'),
    expiresInMs:
      expiresIn === undefined ? undefined : toWholeSeconds(readDuration('--expires-in', expiresIn)),
    tags,
    confidential: confidential === true,
    encrypted: plaintext !== true,
    acceptsUnprotected,
    includeEarly: includeEarly === true,
    once,
    again,
    resume: resume === undefined ? undefined : readName(resume),
    json: json === true,
    agentName: options.as === undefined ? config.agentName : readAgentName(options.as),
  };
}

function readName(text: string): string {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text) ? text.toLowerCase() : readRefCode(text);
}

const toWholeSeconds = (milliseconds: number): number => Math.floor(milliseconds / 1_000) * 1_000;

import { readDuration, readRefCode } from '../../arguments/read-values.ts';
import { type Config, readAgentName } from '../../config.ts';
import { Failure } from '../../failure.ts';

/** For all commands of an agent that read answers. */
export const acceptUnprotectedOption = {
  help: 'accept answers that the relay could have written or replaced: plain text, unsigned keys, no numbering',
} as const;

/** The options of `relay ask`. */
export const askOptions = {
  context: {
    value: 'FILE',
    help: 'the context of the question: a file, or - for stdin; text, or a JSON list of {role, content}',
  },
  wait: { value: 'TIME', help: 'how long to wait for the answer, such as 90s or 2h; 10m by default' },
  'no-wait': { help: 'do not wait: print the reference code and exit' },
  confidential: {
    help: 'hide the question from the relay: it is sent encrypted once the expert picks it up',
  },
  plaintext: { help: 'no encryption: the relay can read and write everything' },
  'accept-unprotected': acceptUnprotectedOption,
  as: { value: 'NAME', help: 'the name that the expert sees, signed; else RELAY_AGENT_NAME' },
  any: { help: 'also accept an answer that was written before your last message was read' },
  resume: { value: 'HS-...', help: 'continue a conversation; a text is sent first' },
  json: { help: 'one JSON object, also for errors' },
} as const;

export interface AskPlan {
  readonly words: readonly string[];
  readonly context: string | undefined;
  readonly wait: number | undefined;
  readonly confidential: boolean;
  readonly encrypted: boolean;
  /** Whether answers are accepted that the relay could have written or replaced. */
  readonly acceptsUnprotected: boolean;
  /** Whether answers count that had not seen the last message. */
  readonly any: boolean;
  /** A reference code, or the id of one that never got a code. */
  readonly resume: string | undefined;
  readonly json: boolean;
  /** The agent's name, which the expert signs. */
  readonly agentName: string | undefined;
}

type Given = { readonly [Name in keyof typeof askOptions]?: string | true };

export function readPlan(options: Given, words: readonly string[], config: Config): AskPlan {
  const { context, wait, confidential, plaintext, any, resume, json } = options;
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
  if (resume && (context || confidential || plaintext)) {
    throw refuse(
      '--resume continues a conversation: --context, --confidential and --plaintext are for a new one.',
    );
  }
  if (context === '-' && words[0] === '-')
    throw refuse('Only one of question and --context can be piped in.');
  return {
    words,
    context: context as string | undefined,
    wait: noWait ? undefined : readDuration('--wait', (wait as string | undefined) ?? '10m'),
    confidential: confidential === true,
    encrypted: plaintext !== true,
    acceptsUnprotected,
    any: any === true,
    resume: typeof resume === 'string' ? readName(resume) : undefined,
    json: json === true,
    agentName: typeof options.as === 'string' ? readAgentName(options.as) : config.agentName,
  };
}

function readName(text: string): string {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text) ? text : readRefCode(text);
}

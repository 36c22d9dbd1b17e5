import { RelayError } from '@expert-relay/sdk';
import { closeInTime, questionName, type RunOptions } from './run-options.ts';
import { invalidInput } from './tool-call.ts';

/** What a model reads about the tool with which it asks: its name, its description, and the JSON Schema of its arguments. */
export const askExpertDefinition = {
  name: 'ask_expert',
  description: `Asks a human expert a question, and returns the answer in words, which may take hours. Use it when you are stuck, when you are not sure about something that is hard to undo, or when you need a decision or knowledge that only a person has; not for what you can find out by yourself.
Follow the answer. If it does not settle your question, ask again with what is missing. A result that begins with "No answer:" is neither a yes nor a no.`,
  parameters: {
    type: 'object' as const,
    properties: {
      question: {
        type: 'string' as const,
        description:
          'What you need to know. The expert sees only this text: say what you want to do, what you have tried, what happened, and what you would do next. No passwords, keys or other secrets.',
      },
    },
    required: ['question'],
    additionalProperties: false as const,
  },
};

/** The arguments of the tool. */
export type AskExpertInput = { readonly question: string };

/**
 * Asks an expert what a model wants to know in a call of its tool, and waits for the answer. Where none comes, the model gets a sentence
 * that says so: after `timeoutMs`, which also closes the question, and where the conversation ends without an answer.
 *
 * @throws RelayError all others, such as `aborted` or `unavailable`: then the question stays open, and the same call continues with it
 *
 * @example
 * const { name, description, parameters } = askExpertDefinition;
 * const tool = {
 *   name,
 *   description,
 *   parameters,
 *   run: ({ question }, callId) => askExpert(question, { relay, run: 'job-7', id: callId }),
 * };
 */
export async function askExpert(
  question: string,
  { relay, run, id, timeoutMs, ...asking }: RunOptions & { readonly id: string | undefined },
): Promise<string> {
  if (!id) throw invalidInput('A call without an id cannot be asked about once: ask with `relay.ask`.');
  const { signal } = asking;
  const conversation = await relay.ask({ ...asking, question, once: questionName(run, id) });
  try {
    const { text, files = [] } = await conversation.waitForAnswer({ timeoutMs, signal });
    const notShown =
      files.length > 0 ? `\n\n(Files that came with it and are not shown: ${files.length}.)` : '';
    return `${text}${notShown}`.trim();
  } catch (error) {
    if (!RelayError.is(error, 'timeout', 'closed', 'expired', 'withdrawn')) throw error;
    if (error.code === 'timeout') await closeInTime(conversation, 'The agent does not wait any longer.');
    return noAnswer;
  }
}

const noAnswer =
  'No answer: the expert has not answered in time, or has closed the question. This is neither a yes nor a no. Do nothing that depends on it, and report what is open.';

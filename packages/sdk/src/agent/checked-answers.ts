import { missing } from '../crypto/history.ts';
import { parseForm } from '../forms/check-form.ts';
import { type FormAnswer, unreadableAnswer } from '../forms/form-answer.ts';
import { readContent, toForm } from '../forms/to-form.ts';
import { invalidInput, RelayError } from '../relay-error.ts';
import { toMessage } from '../thread/describe-message.ts';
import type { FormAnswerMessage, FormTracker } from '../thread/form-tracker.ts';
import type { Message } from '../thread/message.ts';
import type { Decision, DecisionOptions } from './decision.ts';
import { ageError } from './decision-age.ts';
import type { FormOrSchema } from './question.ts';

/** An answer whose content was checked, or why it is not valid. */
type Checked =
  | {
      readonly message: Message;
      readonly answer: FormAnswer;
      readonly content: unknown;
      readonly sealedBefore: number | undefined;
    }
  | { readonly error: RelayError };

interface CheckOptions extends Pick<DecisionOptions, 'validForMs'> {
  readonly form?: FormOrSchema | undefined;
  /** What forms of this conversation were made of, where this process knows it. */
  readonly schemas: readonly (FormOrSchema | undefined)[];
}

/** The answers to the newest form, each checked once against the form, and against the schema that it was made of. */
export class CheckedAnswers {
  readonly #tracker: FormTracker;
  readonly #options: CheckOptions;
  readonly #checked = new Map<string, Checked>();

  constructor(tracker: FormTracker, options: CheckOptions) {
    this.#tracker = tracker;
    this.#options = options;
  }

  has(messageId: string): boolean {
    return this.#checked.has(messageId);
  }

  /** Why an answer does not count. */
  errorOf(messageId: string): RelayError | undefined {
    const checked = this.#checked.get(messageId);
    if (!checked || 'error' in checked) return checked?.error;
    // Not once for all: time passes while the program waits.
    return ageError(checked, this.#options.validForMs);
  }

  /** @throws RelayError why the answer does not count */
  decisionIn(messageId: string): Decision {
    const checked = this.#checked.get(messageId);
    if (!checked) throw missing();
    const error = this.errorOf(messageId);
    if ('error' in checked || error) throw error;
    const { answer, content } = checked;
    const { createdAt, protection, text, files, hasUnknownPart } = checked.message;
    const comment = protection === 'plaintext' ? (answer.comment ?? '') : text;
    const { action, decidedAt } = answer;
    const more = { ...(files && { files }), ...(hasUnknownPart && { hasUnknownPart }) };
    const about = { comment, decidedAt, messageId, createdAt, protection, ...more };
    return (action === 'accept' ? { action, content, ...about } : { action, ...about }) as Decision;
  }

  async checkNew(): Promise<void> {
    const { form, answers } = this.#tracker;
    for (const answer of answers)
      if (form && !this.has(answer.messageId)) await this.#check(answer, form.text);
  }

  async #check({ sealedBefore, ...read }: FormAnswerMessage, formText: string): Promise<void> {
    const { messageId } = read;
    try {
      const message = toMessage(read);
      const { answer } = message;
      if (!answer) throw unreadableAnswer();
      const isAccepted = answer.action === 'accept';
      const content =
        isAccepted && (await readContent(this.#schemaOf(formText), parseForm(formText), answer.content));
      this.#checked.set(messageId, { message, answer, content, sealedBefore });
    } catch (error) {
      if (!RelayError.is(error, 'answer_invalid')) throw error;
      this.#checked.set(messageId, { error });
    }
  }

  /** The schema, if the form was made of it. After a restart only the form itself is known. */
  #schemaOf(formText: string): FormOrSchema {
    const { form: expected, schemas } = this.#options;
    const known = expected ? [expected] : schemas;
    const schema = known.findLast((form) => form && JSON.stringify(toForm(form)) === formText);
    if (schema) return schema;
    if (expected)
      throw invalidInput(
        'The newest form of this conversation was not made of this `form`: give the one that was sent last, or none.',
      );
    return parseForm(formText);
  }
}

import { toBase64 } from '../crypto/base64.ts';
import { readForm, type Standing } from '../forms/decide.ts';
import type { Form } from '../forms/form.ts';
import type { ReadMessage } from './message.ts';
import { readSaved, type SavedPart } from './message-parts.ts';
import { isCrossed, type Read } from './shown.ts';
import type { OpenForm, Side } from './side.ts';
import { standingOf } from './standing-of.ts';

/** A message with an answer to a form. */
export interface FormAnswerMessage extends ReadMessage {
  /** When this agent had sealed its newest message, in milliseconds since 1970. An answer that counts was written after that. */
  readonly sealedBefore?: number | undefined;
  /** Whether the agent has written since. */
  readonly isFollowed?: true | undefined;
}

export interface FormState {
  /** The newest form of a message. */
  readonly form?: OpenForm | undefined;
  /** The answers to the newest form, also of the question. */
  readonly answers?: readonly FormAnswerMessage[] | undefined;
  /** When this agent sealed its newest message, by its own clock. */
  readonly sealedAt?: number | undefined;
}

/** The newest form of a conversation, which alone can be answered, and the answers to it. */
export class FormTracker {
  readonly #side: Side;
  #newest: OpenForm | undefined;
  #answers: readonly FormAnswerMessage[];
  #sealedAt: number | undefined;
  #parsed: { readonly form: Form | undefined; readonly of: string } | undefined;

  constructor(side: Side, saved: FormState = {}) {
    this.#side = side;
    this.#newest = saved.form;
    this.#answers = saved.answers ?? [];
    this.#sealedAt = saved.sealedAt;
  }

  get form(): OpenForm | undefined {
    return this.#newest ?? this.#side.form;
  }
  get answers(): readonly FormAnswerMessage[] {
    return this.#answers;
  }
  get state(): FormState {
    return { form: this.#newest, answers: this.#answers, sealedAt: this.#sealedAt };
  }

  /** The same, for people: `form` is undefined if it cannot be shown. */
  get parsed(): { readonly form: Form | undefined; readonly of: string } | undefined {
    const { form } = this;
    if (form && this.#parsed?.of !== form.of) this.#parsed = { form: readForm(form.text), of: form.of };
    return form && this.#parsed;
  }

  /** Notes a message that this agent has sealed. */
  noteOwn(hash: string | undefined, parts: readonly SavedPart[] | undefined): void {
    this.#sealedAt = Date.now();
    this.#noteAgents(hash, parts);
  }

  /** Notes a message in the order of the list. */
  note(message: ReadMessage): void {
    const { role, hash, parts } = message;
    if (role === 'consumer') {
      this.#noteAgents(hash, parts);
    } else if (parts) {
      const { answer } = readSaved(parts, role);
      if (answer && toBase64(answer.of) === this.form?.of)
        this.#answers = [...this.#answers, { ...message, sealedBefore: this.#sealedAt }];
    }
  }

  #noteAgents(of: string | undefined, parts: readonly SavedPart[] | undefined): void {
    const text = of && parts ? readSaved(parts, 'consumer').form : undefined;
    this.#answers = this.#answers.map((one) => ({ ...one, isFollowed: true }));
    if (of === undefined || text === undefined) return;
    this.#newest = { of, text };
    this.#answers = [];
  }

  /** What the answers amount to. Undefined without a form. */
  standing(read: Read, isRefused?: (messageId: string) => boolean): Standing | undefined {
    const { form } = this;
    const side = this.#side;
    const answers = this.#answers.map(({ parts, ...message }) => {
      const { answer, isUncertain } = readSaved(parts, 'provider');
      return { ...message, json: answer?.json ?? '', isUncertain };
    });
    return (
      form &&
      standingOf({ form, side, answers, isCrossed: (hash) => isCrossed(read, hash, side.role) }, isRefused)
    );
  }
}

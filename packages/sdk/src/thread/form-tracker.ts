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
export interface FormTracker {
  readonly form: OpenForm | undefined;
  /** The same, for people: `form` is undefined if it cannot be shown. */
  readonly parsed: { readonly form: Form | undefined; readonly of: string } | undefined;
  readonly answers: readonly FormAnswerMessage[];
  readonly state: FormState;
  /** Notes a message that this agent has sealed. */
  noteOwn(hash: string | undefined, parts: readonly SavedPart[] | undefined): void;
  /** Notes a message in the order of the list. */
  note(message: ReadMessage): void;
  /** What the answers amount to. Undefined without a form. */
  standing(read: Read, isRefused?: (messageId: string) => boolean): Standing | undefined;
}

export function createFormTracker(side: Side, saved: FormState = {}): FormTracker {
  let form = saved.form;
  let answers = [...(saved.answers ?? [])];
  let { sealedAt } = saved;
  let parsed: FormTracker['parsed'];
  const current = () => form ?? side.form;

  function noteAgents(of: string | undefined, parts: readonly SavedPart[] | undefined): void {
    const text = of && parts ? readSaved(parts, 'consumer').form : undefined;
    answers = answers.map((one) => ({ ...one, isFollowed: true }));
    if (of === undefined || text === undefined) return;
    form = { of, text };
    answers = [];
  }

  return {
    get form() {
      return current();
    },
    get parsed() {
      const now = current();
      if (!now) return undefined;
      if (parsed?.of !== now.of) parsed = { form: readForm(now.text), of: now.of };
      return parsed;
    },
    get answers() {
      return answers;
    },
    get state() {
      return { form, answers: answers.slice(), sealedAt };
    },
    noteOwn(hash, parts) {
      sealedAt = Date.now();
      noteAgents(hash, parts);
    },
    note(message) {
      const { role, link: hash, parts } = message;
      if (role === 'consumer') {
        noteAgents(hash, parts);
      } else if (parts) {
        const { answer } = readSaved(parts, role);
        if (answer && toBase64(answer.of) === current()?.of)
          answers.push({ ...message, sealedBefore: sealedAt });
      }
    },
    standing(read, isRefused) {
      const now = current();
      const given = answers.map(({ parts, ...message }) => {
        const { answer, isUncertain } = readSaved(parts, 'provider');
        return { ...message, json: answer?.json ?? '', isUncertain };
      });
      return (
        now &&
        standingOf(
          { form: now, side, answers: given, isCrossed: (hash) => isCrossed(read, hash, side.role) },
          isRefused,
        )
      );
    },
  };
}

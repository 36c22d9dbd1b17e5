import { parseForm } from '../forms/check-form.ts';
import type { Standing } from '../forms/decide.ts';
import type { FormAnswer } from '../forms/form-answer.ts';
import { unreadableAnswer } from '../forms/form-answer.ts';
import { readContent, toForm } from '../forms/to-form.ts';
import { invalidInput, RelayError } from '../relay-error.ts';
import type { BaseParts } from '../thread/conversation-base.ts';
import { toMessage } from '../thread/describe-message.ts';
import type { FormAnswerMessage } from '../thread/form-tracker.ts';
import type { Message, ReadMessage } from '../thread/message.ts';
import { isNote } from '../thread/message-parts.ts';
import type { OpenForm } from '../thread/side.ts';
import { inTime, throwIfAborted } from '../transport/waiting.ts';
import type { Answer } from './answer.ts';
import type { ConversationState } from './conversation-state.ts';
import type { Decision, DecisionOptions } from './decision.ts';
import { ageError, checkValidFor } from './decision-age.ts';
import { decisionOf, declineName, type Facts, hasContradiction, outcomeName } from './outcomes.ts';
import type { FormOrSchema } from './question.ts';

/** What waiting for a decision needs of a conversation. */
export interface DecisionParts extends Pick<BaseParts<unknown>, 'thread' | 'sender'> {
  /** The decision that was returned, if any. */
  decided: ConversationState['decided'];
  readonly facts: Facts;
  /** The answers that do not count whose error this process has. */
  readonly reported: Set<string>;
  readonly side: { hasClosed: boolean };
  /** The message that decided about a form, if a program has its decision. */
  decisionOf(of: string): Promise<string | undefined>;
  /** While texts wait to be encrypted, no answer has seen them. */
  standing(isRefused?: (messageId: string) => boolean): Standing | undefined;
  /** The error for a message that another process has read, and this one has not. */
  readonly missing: () => RelayError;
  /** What forms of this conversation were made of, where this process knows it. Some may never have been sent. */
  readonly schemas: readonly (FormOrSchema | undefined)[];
  /** Whether a form waits to be sent. */
  readonly sendsForm: boolean;
  /** Takes a message that has arrived, as `waitForAnswer` does. */
  take(messageId: string, signal: AbortSignal | undefined): Promise<Answer | undefined> | undefined;
  save(): Promise<void>;
  /** Saves that what was taken is processed. */
  markProcessed(): Promise<void>;
}

export interface WaitingOptions extends DecisionOptions {
  readonly form?: FormOrSchema | undefined;
}

/** How long a decision that was returned before waits for what came later. */
const laterMs = 10_000;

/** An answer whose content was checked, or why it is not valid. */
type Checked =
  | {
      readonly message: Message;
      readonly answer: FormAnswer;
      readonly content: unknown;
      readonly sealedBefore: number | undefined;
    }
  | { readonly error: RelayError };

/**
 * Waits for a decision about the newest form. It is undefined when the conversation has ended without one.
 *
 * @throws RelayError `answer_invalid`, `answer_conflict`, `decision_too_old`
 */
export async function waitForDecision(
  conversation: DecisionParts,
  { onReply, form: given, validForMs, signal, timeoutMs }: WaitingOptions,
): Promise<Decision | undefined> {
  checkValidFor(validForMs);
  const startedAt = Date.now();
  const { thread, sender, take, facts, side } = conversation;
  const { formTracker, mailbox } = thread;
  const checked = new Map<string, Checked>();

  /** The schema, if the form was made of it. After a restart only the form itself is known. */
  function schemaOf(text: string): FormOrSchema {
    const schemas = given ? [given] : conversation.schemas;
    const schema = schemas.findLast((one) => one && JSON.stringify(toForm(one)) === text);
    if (schema) return schema;
    if (given)
      throw invalidInput(
        'The newest form of this conversation was not made of this `form`: give the one that was sent last, or none.',
      );
    return parseForm(text);
  }

  async function check({ sealedBefore, ...one }: FormAnswerMessage, text: string): Promise<void> {
    const { messageId } = one;
    try {
      const message = toMessage(one);
      const { answer } = message;
      if (!answer) throw unreadableAnswer();
      const isAccepted = answer.action === 'accept';
      const content = isAccepted && (await readContent(schemaOf(text), parseForm(text), answer.content));
      checked.set(messageId, { message, answer, content, sealedBefore });
    } catch (error) {
      if (!RelayError.is(error, 'answer_invalid')) throw error;
      checked.set(messageId, { error });
    }
  }

  const errorOf = (messageId: string): RelayError | undefined => {
    const one = checked.get(messageId);
    if (!one || 'error' in one) return one?.error;
    // Not once for all: time passes while the program waits.
    return ageError(one, validForMs);
  };

  const standing = () => conversation.standing((messageId) => errorOf(messageId) !== undefined);

  /** The message whose decision about the newest form a program has. */
  let returned: string | undefined;
  /** Whether some process has reported a contradiction about the newest form. */
  let isContradicted = false;

  /** Answers that do not count, and that must be reported: by each process once, until the agent has written again. */
  const invalidOnes = (): readonly string[] => {
    const { reported } = conversation;
    const followed = new Set(formTracker.answers.flatMap((one) => (one.isFollowed ? one.messageId : [])));
    return standing()?.invalid.filter((id) => !followed.has(id) && !reported.has(id)) ?? [];
  };

  /** Whether this message decides, or is one of those that prevent it. */
  const concerns = ({ messageId }: ReadMessage): boolean => {
    if (returned !== undefined) return messageId === returned;
    const { state, decided } = standing() ?? {};
    if (state === 'conflict') return formTracker.answers.some((one) => one.messageId === messageId);
    return decided?.messageId === messageId || invalidOnes().includes(messageId);
  };

  const isDue = (): boolean => {
    const { state, decided } = standing() ?? {};
    const isDecided = decided !== undefined || state === 'conflict' || isContradicted;
    const isInvalid = invalidOnes().length > 0;
    return returned !== undefined || isDecided || isInvalid || mailbox.messages.some(concerns);
  };

  function decisionIn(by: string): Decision {
    const one = checked.get(by);
    if (!one) throw conversation.missing();
    const error = errorOf(by);
    if ('error' in one || error) throw error;
    const { answer, content } = one;
    const { messageId, createdAt, protection, text, files, hasUnknownPart } = one.message;
    const comment = protection === 'plaintext' ? (answer.comment ?? '') : text;
    const { action, decidedAt } = answer;
    const more = { ...(files && { files }), ...(hasUnknownPart && { hasUnknownPart }) };
    const about = { comment, decidedAt, messageId, createdAt, protection, ...more };
    return (action === 'accept' ? { action, content, ...about } : { action, ...about }) as Decision;
  }

  /** The message that decided about the newest form, if a program has its decision. */
  async function returnedBefore(form: OpenForm | undefined): Promise<string | undefined> {
    if (!form || conversation.sendsForm) return undefined;
    return await conversation.decisionOf(form.of);
  }

  /** Reads what other processes have stored. @throws RelayError `withdrawn` */
  async function recall(): Promise<void> {
    const { form } = formTracker;
    returned = await returnedBefore(form);
    isContradicted = form !== undefined && (await hasContradiction(facts, form.of));
    side.hasClosed ||= (await facts.get('withdrawn')) !== undefined;
    if (side.hasClosed && returned === undefined) throw withdrawn();
  }

  /** What came since a decision was returned, and goes to `onReply`. Without an answer of the relay there is only the decision. */
  async function readLater(): Promise<void> {
    if (timeoutMs === 0 || mailbox.hasEnded) return;
    await inTime(laterMs, signal, (own) => thread.read(own)).catch(() => throwIfAborted(signal));
  }

  async function checkAll(): Promise<void> {
    const { form, answers } = formTracker;
    for (const one of answers) if (form && !checked.has(one.messageId)) await check(one, form.text);
  }

  /** Returns it, and no other one from then on: the program may have acted on it. */
  async function returnDecision(of: string, messageId: string): Promise<Decision> {
    throwIfLate(startedAt, timeoutMs);
    await checkAll();
    // Another process may have read more.
    if (!checked.has(messageId)) await thread.read(signal).then(checkAll);
    const decision = decisionIn(messageId);
    conversation.decided = { of, messageId };
    await conversation.save();
    // It may also have returned another one in the meantime, or reported a contradiction. What this program does not get stays in
    // the mailbox.
    await facts.remember(outcomeName(of), JSON.stringify(messageId));
    if (decision.action === 'decline' && (await hasContradiction(facts, of)))
      await facts.remember(declineName(of), messageId);
    const first = await decisionOf(facts, of);
    if (first === undefined) {
      conversation.decided = undefined;
      await conversation.save();
      throw conflict();
    }
    if (first !== messageId) return await returnDecision(of, first);
    await take(messageId, signal);
    await conversation.markProcessed();
    return decision;
  }

  async function findDecision(hasWaited: boolean): Promise<Decision | undefined> {
    let by = await returnedBefore(formTracker.form);
    if (by && conversation.decided?.of !== formTracker.form?.of && !mailbox.hasEnded) {
      // The process that has returned the decision may have sent another form since.
      await thread.readIfStale(signal);
      by = await returnedBefore(formTracker.form);
    }
    const known = formTracker.form;
    if (known && by && formTracker.answers.some(({ messageId }) => messageId === by)) {
      return await returnDecision(known.of, by);
    }
    if (sender.isDue) await sender.flush(signal).catch(() => {});
    if (!isDue()) return undefined;
    // The relay may already have a decline, which comes before an accept. A message that has ended the wait was read only just now.
    if (!mailbox.hasEnded) await (hasWaited ? thread.readIfStale(signal) : thread.read(signal));
    if (thread.refusal) throw thread.refusal;
    // Another process may have written: what the relay hides of it here must not be decided over.
    await sender.recall(signal);
    if (sender.isDue) await sender.flush(signal).catch(() => {});
    await recall();
    const { form } = formTracker;
    if (!form) return undefined;
    await checkAll();
    const now = standing();
    const decidedBy = isContradicted && now?.state !== 'declined' ? undefined : now?.decided?.messageId;
    const first = returned ?? decidedBy;
    if (first) return await returnDecision(form.of, first);
    if (now?.state === 'conflict' || isContradicted) {
      await conversation.save();
      const contradicting = now?.counted.map(({ messageId }) => messageId) ?? [];
      await facts.remember(outcomeName(form.of), JSON.stringify(contradicting));
      const decided = await decisionOf(facts, form.of);
      if (decided !== undefined) return await returnDecision(form.of, decided);
      throw conflict();
    }
    const [invalid] = invalidOnes();
    if (invalid === undefined) return undefined;
    conversation.reported.add(invalid);
    await take(invalid, signal);
    throw errorOf(invalid) ?? unreadableAnswer();
  }

  if (!formTracker.form && !conversation.sendsForm) {
    throw invalidInput('This conversation has no form: ask with `form`, or send one.');
  }
  let hasWaited = false;
  let hasReadLater = false;
  await sender.recall(signal);
  for (;;) {
    await recall();
    if (returned !== undefined && !hasReadLater) await readLater();
    hasReadLater = true;
    const written = mailbox.messages.filter((one) => !isNote(one));
    // Beside a decision that was returned, all others are replies.
    const next = returned === undefined ? written[0] : written.find((one) => !concerns(one));
    if (next && onReply && !concerns(next)) {
      const reply = await take(next.messageId, signal);
      if (reply) {
        await onReply(reply);
        await conversation.markProcessed();
      }
      continue;
    }
    const decision = await findDecision(hasWaited);
    if (decision) return decision;
    const fits = (one: ReadMessage) => (onReply !== undefined && !isNote(one)) || isDue();
    if (!(await mailbox.take({ signal, fits, peek: true }))) return undefined;
    hasWaited = true;
  }
}

/** A timer stands still while the machine sleeps: without the clock, a decision could be acted on hours after its time. */
export function throwIfLate(startedAt: number, timeoutMs = 0): void {
  if (timeoutMs > 0 && Date.now() - startedAt > timeoutMs)
    throw new RelayError(
      'timeout',
      `No decision was taken within ${timeoutMs / 1_000} s: wait or ask again.`,
    );
}

const conflict = () =>
  new RelayError(
    'answer_conflict',
    'The expert has accepted with different contents. None of them counts, before the expert declines or `askAgain` sends the form again.',
  );

const withdrawn = () =>
  new RelayError(
    'withdrawn',
    'This agent has closed the question without a decision: none counts any more. Ask a new one.',
  );

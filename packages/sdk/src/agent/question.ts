import type { Form } from '../forms/form.ts';
import type { StandardSchema } from '../forms/standard-schema.ts';
import type { ContextMessage } from '../request-state.ts';
import type { FileToSend } from '../thread/parts-to-send.ts';

/** A form, or a schema of a library that follows Standard Schema, such as zod from 4.2 on. */
export type FormOrSchema = Form | StandardSchema;

/**
 * A question to the expert. Without `confidential` the relay can read it: only what follows is encrypted.
 *
 * @example
 * const conversation = await relay.ask({
 *   question: 'May I remove the lock file?',
 *   messages: [{ role: 'assistant', content: 'The deploy hangs.' }],
 *   confidential: true,
 * });
 * if (conversation.unsent.length > 0) console.log('The question is sent once an expert picks it up.');
 */
export interface Question<F extends FormOrSchema = Form> {
  /** What the expert is asked, in words. */
  readonly question?: string | undefined;
  /** Messages that came before the question. The relay keeps the last 10. */
  readonly messages?: readonly ContextMessage[] | undefined;
  /**
   * A form that the expert is to answer, or a schema of a library: see `waitForDecision`. With
   * `confidential` it is encrypted as well; otherwise the relay can read it.
   */
  readonly form?: F | undefined;
  /**
   * At most 8, 700,000 bytes together. They are always encrypted: they go with the confidential question, or as a message
   * behind the question, once an expert has picked the request up.
   */
  readonly files?: readonly FileToSend[] | undefined;
  /**
   * Hides question and messages from the relay. They are sent as the first encrypted message, once the expert has
   * picked the request up. Until then they are in `unsent`.
   */
  readonly confidential?: boolean | undefined;
  /**
   * After how many milliseconds the conversation expires: from 60,000 to the relay's own limit, which is the default (72 hours).
   * What is no whole second is refused. A decision that must not come later needs a `timeoutMs` as well, since only that is measured here.
   */
  readonly expiresInMs?: number | undefined;
  /**
   * Words by which the expert sorts requests: at most 10 different ones of up to 40 characters. The relay can read and change
   * them, also with `confidential`.
   */
  readonly tags?: readonly string[] | undefined;
  /** False for plain text without any keys. Default true. */
  readonly encrypted?: boolean | undefined;
  /** The text for clients without encryption. Default: the question, if `encrypted` is false. */
  readonly plaintext?: string | undefined;
  /**
   * A name of 1 to 255 bytes for this question of this run, such as `job-7/approve-deploy`. The first call with it asks; every
   * later one, also of another process or after a crash, continues with the same request, as long as the conversation
   * can last and a day. It needs a `store` or a `secret`, unless `encrypted` is false. Names belong to the API key; the relay sees
   * a digest of them.
   *
   * @throws RelayError `once_reused` for another question with the same name
   */
  readonly once?: string | undefined;
  /** Ends the call with `aborted`; the question may have been sent by then. */
  readonly signal?: AbortSignal | undefined;
}

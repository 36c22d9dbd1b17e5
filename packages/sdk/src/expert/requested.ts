import type { Sending } from '../agent/conversation.ts';
import { checkOptions } from '../check-options.ts';
import { invalidInput, RelayError } from '../relay-error.ts';
import { handOut } from '../thread/hand-out.ts';
import type { Head } from '../thread/page.ts';
import { isRefusal } from '../thread/refusals.ts';
import { Talk, type TalkParts } from '../thread/talk.ts';
import { members } from '../transport/shape.ts';
import { type Asked, readAsked } from './asked.ts';
import type { AnswerOptions, ExpertMessage, ExpertRequest } from './expert-request.ts';
import type { ExpertSide } from './expert-side.ts';

export interface RequestParts {
  readonly side: ExpertSide;
  /** Whether this expert has keys at all. */
  readonly hasRoot: boolean;
}

export class Requested extends Talk<Head> implements ExpertRequest {
  readonly messages: AsyncIterable<ExpertMessage>;
  readonly #parts: RequestParts;
  readonly #asked: Asked;

  constructor(talk: TalkParts<Head>, parts: RequestParts) {
    super(talk);
    this.#parts = parts;
    this.#asked = readAsked(talk.request.asked);
    const { follower, thread } = talk;
    this.messages = {
      [Symbol.asyncIterator]: () => handOut(follower, (signal) => thread.mailbox.take({ signal })),
    };
  }

  get createdAt(): string {
    return this.talk.request.createdAt;
  }
  get question(): string {
    return this.#asked.question;
  }
  get context() {
    return this.#asked.context;
  }
  get plaintext(): string | undefined {
    return this.#asked.plaintext;
  }
  get encrypted(): boolean {
    return this.talk.request.consumerKeys !== undefined;
  }
  get isPickedUp(): boolean {
    return this.#parts.side.isPickedUp;
  }

  async pickUp(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    const { signal } = checkOptions(options, 'signal');
    const { side } = this.#parts;
    const { api, thread, request } = this.talk;
    if (side.isPickedUp) return;
    thread.checkOpen();
    if (!this.encrypted) return;
    const pickUp = await side.pickUp(thread.head ?? request).catch((error: unknown) => {
      if (isRefusal(error)) thread.refuse(error);
      throw error;
    });
    const sent = api
      .post(`/api/v1/key-exchange/${this.requestId}`, pickUp, members, signal)
      .catch(async (error: unknown) => {
        // Whoever reads what is there learns whose keys they are, in better words.
        if (error instanceof RelayError && error.code === 'conflict') await thread.read(signal);
        throw error;
      });
    // Meanwhile for what another device has done: whether it comes with the keys or before them is all the same.
    await Promise.all([sent, thread.catchUp(signal)]);
    const { providerSignPubKey: sign, providerEncryptPubKey: encrypt, keySignature } = pickUp;
    await thread.adopt({ providerKeys: { sign, encrypt }, keySignature });
  }

  async answer(text: string, options: AnswerOptions = {}): Promise<Sending> {
    const { signal, plaintext = false } = checkOptions(options, 'plaintext signal');
    const { side, hasRoot } = this.#parts;
    if (this.encrypted && hasRoot && !side.isPickedUp) await this.pickUp({ signal });
    // What another device has said meanwhile comes before this.
    else await this.talk.thread.catchUp(signal);
    if (hasRoot && !side.isEncrypted && !plaintext) throw readableByRelay();
    return await this.talk.sender.send(text, signal);
  }
}

const readableByRelay = () =>
  invalidInput(
    'Not sent: the agent has no keys, so the relay could read this. To send it: `plaintext: true`.',
  );

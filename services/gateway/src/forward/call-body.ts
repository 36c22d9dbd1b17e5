import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import { bodyLimit } from '@expert-relay/kit/http';
import { Problem } from '@expert-relay/kit/problem';

interface Sink {
  piece(bytes: Buffer): void;
  end(): void;
  fail(problem: Problem): void;
}

/**
 * The raw bytes of a call's body: counted as they arrive, and kept until the answer begins, so that
 * they can be sent once more.
 */
export class CallBody {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  #pieces: Buffer[] = [];
  #size = 0;
  #keeping = true;
  #complete = false;
  #started = false;
  #sink: Sink | undefined;

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.#request = request;
    this.#response = response;
  }

  get isComplete(): boolean {
    return this.#complete;
  }

  /** All of it; it can still be sent afterwards. */
  read(): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#request.once('error', reject);
      this.#lead({
        piece: () => {},
        end: () => resolve(Buffer.concat(this.#pieces, this.#size)),
        fail: reject,
      });
    });
  }

  /** Sends what came and what is still coming. */
  sendTo(target: ClientRequest, fail: (problem: Problem) => void): void {
    for (const piece of this.#pieces) target.write(piece);
    if (this.#complete) {
      target.end();
      return;
    }
    const request = this.#request;
    target.on('drain', () => request.resume());
    target.once('close', () => request.resume());
    const giveUp = () => {
      if (!this.#complete) target.destroy();
    };
    request.once('close', giveUp);
    // Node tells of no more `drain` then; and a service that has answered wants nothing more.
    target.once('response', (answer) => answer.once('end', giveUp));
    this.#lead({
      piece(bytes) {
        // A target that answered early may be gone: what still comes is read away.
        if (!target.destroyed && !target.write(bytes)) request.pause();
      },
      end: () => target.end(),
      fail,
    });
  }

  /** Nothing will be sent again: whatever still comes only passes through. */
  forget(): void {
    this.#keeping = false;
    this.#pieces = [];
  }

  /** Nobody wants the rest. It is read away, so that the connection can go on. */
  drop(): void {
    this.forget();
    if (this.#started) this.#request.off('data', this.#take).resume();
  }

  #lead(sink: Sink): void {
    this.#sink = sink;
    if (this.#started) {
      this.#request.resume();
      return;
    }
    this.#started = true;
    // Only now: whoever asked for leave to send was told nothing while the call could still be refused.
    if (/100-continue/i.test(this.#request.headers.expect ?? '')) this.#response.writeContinue();
    this.#request.on('data', this.#take);
    this.#request.once('end', () => {
      this.#complete = true;
      this.#sink?.end();
    });
  }

  readonly #take = (bytes: Buffer): void => {
    this.#size += bytes.length;
    if (this.#size > bodyLimit) {
      this.forget();
      this.#request.off('data', this.#take).pause();
      // Too late to say it when the service did not wait for the end of the body.
      if (this.#response.headersSent) this.#request.destroy();
      else this.#sink?.fail(new Problem('payload_too_large'));
      return;
    }
    if (this.#keeping) this.#pieces.push(bytes);
    this.#sink?.piece(bytes);
  };
}

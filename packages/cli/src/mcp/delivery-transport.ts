import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js';

/**
 * Stdio that tells which results really went out: an answer of the expert counts as given only then. A client that
 * cancelled, or is gone, gets none.
 */
export class DeliveryTransport extends StdioServerTransport {
  readonly #out: Writable;
  readonly #awaited = new Map<RequestId, (sent: boolean) => void>();

  constructor(input: Readable, out: Writable) {
    super(input, out);
    this.#out = out;
  }

  /** Whether the result of this request is written, once that is known. */
  sent(request: RequestId, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (sent: boolean) => {
        this.#awaited.delete(request);
        resolve(sent);
      };
      this.#awaited.set(request, settle);
      signal.addEventListener('abort', () => settle(false), { once: true });
    });
  }

  override send(message: JSONRPCMessage): Promise<void> {
    const isResult = 'id' in message && !('method' in message);
    const settle = isResult && message.id !== undefined ? this.#awaited.get(message.id) : undefined;
    return new Promise((resolve, reject) => {
      this.#out.write(serializeMessage(message), (error) => {
        settle?.(!error);
        if (error) reject(error);
        else resolve();
      });
    });
  }
}

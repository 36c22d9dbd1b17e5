import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js';

/**
 * A stdio transport that reports which results were really written: only then an answer of the expert counts as
 * delivered.
 */
export class DeliveryTransport extends StdioServerTransport {
  readonly #out: Writable;
  readonly #awaited = new Map<RequestId, (sent: boolean) => void>();

  constructor(input: Readable, out: Writable) {
    super(input, out);
    this.#out = out;
  }

  /** Resolves to whether the result of this request was written. */
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

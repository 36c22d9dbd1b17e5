import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { RelayError } from '@expert-relay/sdk';

/** A call of a program in another language: a function of `roots`, or a method of an object that an earlier call returned. */
interface RemoteCall {
  readonly object?: number;
  readonly method: string;
  readonly args: readonly unknown[];
}

type Functions = Readonly<Record<string, (...args: never[]) => unknown>>;

/**
 * Objects of this process for a program in another language. Data is passed as JSON, bytes as `{"$bytes": base64}`; anything else
 * stays here and gets a number.
 */
export async function serveObjects(roots: Functions) {
  const objects: object[] = [];

  function encode(value: unknown): unknown {
    if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString('base64') };
    if (Array.isArray(value)) return value.map(encode);
    if (typeof value !== 'object' || value === null) return typeof value === 'function' ? null : value;
    if (Object.getPrototypeOf(value) === Object.prototype && !Object.values(value).some(isFunction)) {
      return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, encode(member)]));
    }
    return { $object: objects.push(value) - 1 };
  }

  function decode(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(decode);
    if (typeof value !== 'object' || value === null) return value;
    if ('$bytes' in value) return new Uint8Array(Buffer.from(String(value.$bytes), 'base64'));
    if ('$object' in value) return objects[Number(value.$object)];
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, decode(member)]));
  }

  async function call({ object, method, args }: RemoteCall): Promise<unknown> {
    const target = (object === undefined ? roots : objects[object]) as Record<string, unknown>;
    const member = target[method];
    return encode(await (isFunction(member) ? member.apply(target, args.map(decode)) : member));
  }

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const answer = await call(JSON.parse(Buffer.concat(chunks).toString())).then(
      (value) => ({ value: value ?? null }),
      (error: unknown) => ({
        error: error instanceof RelayError ? error.code : String((error as Error).stack),
      }),
    );
    response.end(JSON.stringify(answer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

const isFunction = (value: unknown): value is (...args: unknown[]) => unknown => typeof value === 'function';

import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** A few lines of a text protocol: enough to ask a server whether it works. */
export interface Conversation {
  send(text: string): void;
  /** Resolves with all that was received, once it matches. */
  until(pattern: RegExp): Promise<string>;
  /** Goes on over TLS, for protocols that begin in clear. */
  secure(): Promise<void>;
  close(): void;
}

export async function converse(
  url: URL,
  options: { port: number; tls: boolean; within: number },
): Promise<Conversation> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const address = { host, port: Number(url.port) || options.port };
  let received = '';
  let failure: Error | undefined;
  let look: () => void = () => undefined;

  let socket: Socket = options.tls ? connectTls({ ...address, servername: host }) : connectPlain(address);
  const timer = setTimeout(
    () => fail(new Error(`no answer within ${options.within / 1000} s`)),
    options.within,
  );
  listen(options.tls ? 'secureConnect' : 'connect');

  function listen(opened: 'connect' | 'secureConnect'): void {
    socket.setEncoding('utf8');
    socket.on(opened, () => look());
    socket.on('data', (text: string) => {
      received += text;
      look();
    });
    socket.on('error', fail);
    socket.on('close', () => fail(new Error('it closed the connection')));
  }

  function fail(error: Error): void {
    failure ??= error;
    look();
  }

  function until(pattern: RegExp): Promise<string> {
    return new Promise((resolve, reject) => {
      look = () => {
        if (pattern.test(received)) resolve(received);
        else if (failure) reject(failure);
      };
      look();
    });
  }

  async function secure(): Promise<void> {
    const plain = socket;
    plain.removeAllListeners();
    plain.on('error', fail);
    socket = connectTls({ socket: plain, servername: host });
    listen('secureConnect');
  }

  function close(): void {
    clearTimeout(timer);
    socket.removeAllListeners();
    socket.on('error', () => undefined);
    socket.destroy();
  }

  return { send: (text) => void socket.write(text), until, secure, close };
}

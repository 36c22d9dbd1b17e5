import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** One block of an event stream. */
export interface Block {
  readonly event: string;
  readonly id?: string;
  readonly data?: string;
  readonly retry?: string;
  readonly comment?: string;
}

export interface ReaderOptions {
  readonly headers?: Record<string, string>;
  readonly query?: Record<string, string>;
  readonly path?: string;
  readonly version?: '1.0' | '1.1';
}

/** A simple subscriber over a raw socket, so that tests check every byte that the hub sends. */
export class Reader {
  readonly socket: Socket;
  readonly blocks: Block[] = [];
  /** The newest position, as a browser would keep it. */
  lastEventId = '';
  head = '';
  isEnded = false;
  #raw = '';
  #text = '';
  #count = 0;

  constructor(url: string, topics: readonly string[], options: ReaderOptions = {}) {
    const { hostname, port } = new URL(url);
    const query = new URLSearchParams([
      ...topics.map((topic): [string, string] => ['topic', topic]),
      ...Object.entries(options.query ?? {}),
    ]);
    const headers = { host: hostname, accept: 'text/event-stream', ...options.headers };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const version = options.version ?? '1.1';
    this.socket = connect(Number(port), hostname);
    // One character for each byte, so that the lengths of chunks can be checked.
    this.socket.setEncoding('latin1');
    this.socket.write(`GET ${options.path ?? '/'}?${query} HTTP/${version}\r\n${lines.join('')}\r\n`);
    this.socket.on('data', (text: string) => this.#receive(text));
    this.socket.on('close', () => {
      this.isEnded = true;
    });
    this.socket.on('error', () => {});
  }

  get status(): number {
    return Number(this.head.split(' ')[1]);
  }

  /** The JSON of the contract's events so far. */
  get events(): Record<string, unknown>[] {
    return this.blocks
      .filter(({ event, data }) => event === 'message' && data)
      .map(({ data }) => JSON.parse(data ?? ''));
  }

  named(event: string): Block[] {
    return this.blocks.filter((block) => block.event === event);
  }

  async until(what: string, check: () => unknown | Promise<unknown>, timeoutMs = 60_000): Promise<void> {
    const end = performance.now() + timeoutMs;
    while (!(await check())) {
      if (performance.now() > end) {
        const received = JSON.stringify(this.blocks.slice(-20)).slice(0, 2_000);
        throw new Error(`Waited ${timeoutMs} ms for ${what}. Received: ${this.head}\n${received}`);
      }
      await pause(5);
    }
  }

  /** Waits for the opening block: from then on the reader misses no event. */
  async opened(): Promise<this> {
    await this.until('the opening of the stream', () => this.blocks.length > 0);
    return this;
  }

  count(number: number, timeoutMs?: number): Promise<void> {
    return this.until(`${number} events`, () => this.#count >= number, timeoutMs);
  }

  close(): void {
    this.socket.destroy();
  }

  #receive(text: string): void {
    this.#raw += text;
    if (this.head === '') {
      const end = this.#raw.indexOf('\r\n\r\n');
      if (end < 0) return;
      this.head = this.#raw.slice(0, end);
      this.#raw = this.#raw.slice(end + 4);
    }
    if (/transfer-encoding: chunked/i.test(this.head)) this.#unchunk();
    else {
      this.#text += this.#raw;
      this.#raw = '';
    }
    const parts = this.#text.split('\n\n');
    this.#text = parts.pop() ?? '';
    for (const part of parts) this.#read(part);
  }

  /** Reads chunks strictly: a length that is wrong by one byte is an error. */
  #unchunk(): void {
    for (;;) {
      const line = /^([0-9a-f]+)\r\n/.exec(this.#raw);
      if (!line) return;
      const start = line[0].length;
      const length = Number.parseInt(line[1] ?? '', 16);
      if (this.#raw.length < start + length + 2) return;
      if (this.#raw.slice(start + length, start + length + 2) !== '\r\n')
        throw new Error('A chunk does not have the length that it states.');
      this.#text += this.#raw.slice(start, start + length);
      this.#raw = this.#raw.slice(start + length + 2);
    }
  }

  #read(part: string): void {
    const block: Record<string, string> = { event: 'message' };
    for (const line of part.split('\n')) {
      const [, field = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
      block[field === '' ? 'comment' : field] = Buffer.from(value, 'latin1').toString();
    }
    if (block.id !== undefined) this.lastEventId = block.id;
    this.blocks.push(block as unknown as Block);
    if (isEvent(block)) this.#count++;
  }
}

const isEvent = ({ event, data }: Partial<Block>): boolean => event === 'message' && data !== undefined;

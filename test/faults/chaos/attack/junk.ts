import type { Random } from '../../plan/random.ts';
import { randomBytes } from './bodies.ts';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');

/** Bytes that are not HTTP/1.1. */
export const junk: Readonly<Record<string, (random: Random) => Buffer>> = {
  'a TLS hello': (random) =>
    Buffer.concat([
      hex('16 0301 00c8 01 0000c4 0303'),
      randomBytes(random, 32),
      hex('00 0008 1301 1302 c02f 00ff 0100 0093'),
      randomBytes(random, 147),
    ]),
  'an HTTP/2 preface': () =>
    Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), hex('000000 04 00 00000000')]),
  'HTTP/0.9': (random) => Buffer.from(random.pick(['GET /\r\n', 'GET /api/health\n', 'GET\r\n\r\n'])),
  'a PROXY line': () => Buffer.from('PROXY TCP4 10.0.0.1 10.0.0.2 1 2\r\nGET / HTTP/1.1\r\nhost: x\r\n\r\n'),
  'a PROXY header, version 2': () => hex('0d0a0d0a000d0a515549540a 21 11 000c 7f000001 7f000001 1f90 1f90'),
  'a SOCKS greeting': () => hex('05 02 00 02'),
  'an SSH banner': () => Buffer.from('SSH-2.0-OpenSSH_9.2\r\n'),
  'an SMTP greeting': () => Buffer.from('EHLO evil.example\r\nMAIL FROM:<a@b>\r\n'),
  'a response': () => Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi'),
  'a WebSocket frame': (random) => Buffer.concat([hex('81 85'), randomBytes(random, 9)]),
  'empty lines': (random) => Buffer.from('\r\n'.repeat(random.integer(1, 3_000))),
  'random bytes': (random) => randomBytes(random, random.integer(1, 2_000)),
  zeros: (random) => Buffer.alloc(random.integer(1, 20_000)),
};

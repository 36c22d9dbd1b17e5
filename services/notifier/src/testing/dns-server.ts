import { createSocket } from 'node:dgram';

export interface DnsServer extends AsyncDisposable {
  readonly address: string;
  /** The names that were asked for. */
  readonly asked: readonly string[];
}

/** A DNS server on this machine. `answers` returns the IPv4 addresses of a name; undefined means that it does not answer. */
export async function startDnsServer(
  answers: (name: string) => readonly string[] | undefined,
): Promise<DnsServer> {
  const socket = createSocket('udp4');
  const asked: string[] = [];
  socket.on('message', (query, { address, port }) => {
    const { name, end } = readName(query);
    const isIpv4 = query.readUInt16BE(end) === 1;
    if (isIpv4) asked.push(name);
    const addresses = answers(name);
    if (addresses) socket.send(answer(query.subarray(0, end + 4), isIpv4 ? addresses : []), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    async [Symbol.asyncDispose]() {
      await new Promise<void>((resolve) => socket.close(() => resolve()));
    },
  };
}

function readName(query: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.'), end: at + 1 };
}

function answer(question: Buffer, addresses: readonly string[]): Buffer {
  const head = Buffer.from(question);
  head.writeUInt16BE(0x8180, 2);
  head.writeUInt16BE(addresses.length, 6);
  head.writeUInt32BE(0, 8);
  const records = addresses.map((address) =>
    Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]),
  );
  return Buffer.concat([head, ...records]);
}

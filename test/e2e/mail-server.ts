import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

export interface MailServer extends AsyncDisposable {
  readonly url: string;
  /** Emails as they arrived, without the folding of lines. */
  readonly emails: readonly { readonly to: string; readonly text: string }[];
}

/** A mail server on this machine, which keeps what it gets. */
export async function startMailServer(): Promise<MailServer> {
  const emails: { to: string; text: string }[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const text = Buffer.concat(chunks).toString().replace(/=\r\n/g, '').replaceAll('=3D', '=');
        emails.push({
          to: envelope.rcptTo.map(({ address }) => address).join(),
          text: text.replace(/\r\n[ \t]/g, ''),
        });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  return {
    url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    emails,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

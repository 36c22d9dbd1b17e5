import type { Socket } from 'node:net';

/** What a server answers to each step. */
export type MailAnswers = Partial<
  Record<
    'greeting' | 'EHLO' | 'AUTH' | 'STAR' | 'MAIL' | 'RCPT' | 'DATA' | 'text',
    string | Endless | 'close'
  >
>;
/** Repeated as fast as the other side reads it, or one byte of it every 50 ms. */
type Endless = { readonly flood: string } | { readonly drip: string };

const polite: MailAnswers = {
  greeting: '220 mail.test\r\n',
  EHLO: '250 mail.test\r\n',
  MAIL: '250 ok\r\n',
  RCPT: '250 ok\r\n',
  AUTH: '235 ok\r\n',
  STAR: '502 unknown\r\n',
  DATA: '354 go on\r\n',
  text: '250 accepted\r\n',
};

/** Serves SMTP with the given answers; a command is recognised by its first four letters. */
export function serveMail(answers: MailAnswers): (socket: Socket) => void {
  return (socket) => {
    let isText = false;
    let received = '';
    const say = (step: keyof MailAnswers) => answer(socket, { ...polite, ...answers }[step] ?? '');
    say('greeting');
    socket.on('data', (chunk) => {
      received += chunk;
      for (;;) {
        const end = received.indexOf(isText ? '\r\n.\r\n' : '\r\n');
        if (end === -1) return;
        const step = isText ? 'text' : received.slice(0, 4);
        received = received.slice(end + (isText ? 5 : 2));
        isText = step === 'DATA';
        if (step in polite) say(step as keyof MailAnswers);
      }
    });
  };
}

function answer(socket: Socket, text: string | Endless): void {
  if (text === 'close') socket.destroy();
  else if (typeof text === 'string') socket.write(text);
  else if ('drip' in text) {
    let at = 0;
    const timer = setInterval(() => socket.write(text.drip[at++ % text.drip.length] ?? ''), 50);
    socket.on('close', () => clearInterval(timer));
  } else {
    const block = text.flood.repeat(Math.ceil(65_536 / text.flood.length));
    const send = () => {
      while (!socket.destroyed && socket.write(block));
    };
    socket.on('drain', send);
    send();
  }
}

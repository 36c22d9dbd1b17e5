import { spawn } from 'node:child_process';
import { defineCommand } from '../arguments/command.ts';
import { readRefCode } from '../arguments/read-values.ts';
import { Failure } from '../failure.ts';

export const open = defineCommand({
  name: 'open',
  summary: "opens the experts' web app in the browser, or the page of a request",
  usage: ['', 'HS-...'],
  about:
    'Prints the address, and opens it in the browser: in that of BROWSER, else in the default one. Without a browser, as on a server, it only prints the address. The page asks an expert to sign in.',
  options: { json: { help: 'one JSON object' } },
  examples: ['relay open', 'relay open HS-7KQ2M9XD'],
  words: [0, 1],
  profiles: ['expert', 'agent'],
  async run({ config, out, err }, { options: { json }, words: [word] }) {
    const refCode = word === undefined ? undefined : readRefCode(word);
    if (config.url === undefined)
      throw new Failure(
        'usage',
        'RELAY_URL is not set.\nSet the address of your relay: relay help environment. Or store it once: relay login',
      );
    const page = `${config.url}/dashboard${refCode === undefined ? '' : `/code/${refCode}`}`;
    const isOpened = config.browser !== undefined && (await isStarted(config.browser, page));
    if (json) out.line(JSON.stringify({ outcome: 'done', exit: 0, refCode, page, isOpened }));
    else out.line(page);
    if (!isOpened) err.paragraph('There is no browser here: open this address in one.');
    return 'done';
  },
});

/** The browser goes on when this command has ended. */
function isStarted(program: string, page: string): Promise<boolean> {
  return new Promise((resolve) => {
    const browser = spawn(program, [page], { detached: true, stdio: 'ignore' });
    browser.once('spawn', () => resolve(true)).once('error', () => resolve(false));
    browser.unref();
  });
}

import { defineCommand } from '../arguments/command.ts';
import { kindOfKey, plainAddress, readFingerprints } from '../config.ts';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { findWrongAddress } from '../relay/check-address.ts';
import { openClient } from '../relay/open-client.ts';
import { openProfiles } from '../store/profiles.ts';

export const login = defineCommand({
  name: 'login',
  summary: "stores the relay's address and your key, as an agent or as an expert",
  usage: ['[https://relay.example.com]'],
  about:
    "Asks for the address, unless it is given or in RELAY_URL, and for the key, which is not shown; in a pipe the key comes from stdin. Both are checked at the relay, and stored in a file that only you can read. An agent's key and an expert's are stored side by side, one of each: `ask`, `approve`, `receipt`, `mcp` and `hook` use the agent's, `answer` and `pickup` the expert's, `listen`, `show`, `keys` and `open` the expert's before the agent's, and the other commands the agent's before the expert's. While RELAY_URL or RELAY_API_KEY is set, no profile counts. For other relays, set RELAY_CONFIG_DIR to another folder.",
  options: {
    expert: {
      value: 'FINGERPRINT',
      help: "with an agent's key: the expert whose answers count, as RELAY_EXPERT, which wins; several with commas",
    },
    json: { help: 'one JSON object' },
  },
  examples: ['relay login', 'relay login https://relay.example.com < key.txt'],
  words: [0, 1],
  async run(context, { options: { expert: named, json }, words: [word] }) {
    const { config, out, err, signal } = context;
    const expert = readFingerprints('--expert', named);
    const url = await readAddress(context, word);
    const wrong = await findWrongAddress({ url, folder: config.folder, signal });
    if (wrong)
      throw new Failure('usage', `${wrong.message}.\nGive the address of the gateway, without a path.`);
    const apiKey = await readKey(context);
    const kind = kindOfKey(apiKey);
    if (!kind)
      throw new Failure(
        'usage',
        'This is not a key of Expert Relay (it is not shown here). Those begin with hs_ or hs_prov_, and 38 letters and digits follow. Copy it again.',
      );
    if (expert && kind === 'provider')
      throw new Failure('usage', "--expert goes with an agent's key, and this is an expert's.");
    const { name, userId } = await openClient({ url, apiKey, kind }).whoami({ signal });
    const profile = kind === 'consumer' ? 'agent' : 'expert';
    const profiles = openProfiles(config.folder);
    await profiles.write(profile, { url, apiKey, expert });
    if (json) {
      const stored = { profile, name, userId, url, expert, folder: profiles.path };
      out.line(JSON.stringify({ outcome: 'done', exit: 0, ...stored }));
      return 'done';
    }
    out.line(`Logged in as the ${profile} ${out.shown(name)} at ${url}`);
    err.paragraph(
      `The key is in ${profiles.path}, which only you can read. Remove it: relay logout ${profile}`,
    );
    if (config.url ?? config.apiKey)
      err.paragraph('RELAY_URL or RELAY_API_KEY is set here, and wins: unset both to use the profile.', {
        style: 'yellow',
      });
    return 'done';
  },
});

async function readAddress({ config, input }: Context, word: string | undefined): Promise<string> {
  const typed =
    word ?? config.url ?? (input.isTerminal ? await input.readLine('Address of the relay: ') : '');
  const url = plainAddress(typed?.trim() ?? '');
  if (url !== undefined) return url;
  throw new Failure(
    'usage',
    'The address of the relay is missing or is none. It is given like this: relay login https://relay.example.com. The key is asked for.',
  );
}

async function readKey({ input }: Context): Promise<string> {
  const typed = input.isTerminal
    ? await input.readLine('Key (it is not shown): ', { isSecret: true })
    : await input.readText();
  return typed?.trim() ?? '';
}

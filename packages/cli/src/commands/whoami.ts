import { defineCommand } from '../arguments/command.ts';
import { openClient } from '../relay/open-client.ts';
import { requireRelay } from '../relay/require-relay.ts';

export const whoami = defineCommand({
  name: 'whoami',
  summary: 'shows the name and kind of your key, and the relay',
  usage: [''],
  about: 'Shows what the relay knows about the key in RELAY_API_KEY.',
  options: { json: { help: 'one JSON object' } },
  examples: ['relay whoami'],
  words: [0, 0],
  async run({ config, folder, out, signal }, { options: { json } }) {
    const access = requireRelay(config, { kind: 'consumer', folder });
    const who = await openClient(access).whoami({ signal });
    if (json) {
      out.line(JSON.stringify({ ...who, url: access.url }));
      return 'done';
    }
    const can = who.kind === 'provider' ? 'an expert: it answers' : 'an agent: it asks';
    out.line(`Key     ${out.shown(who.name)}`);
    out.line(`Kind    ${can}`);
    out.line(`Expert  ${who.userId}`);
    out.line(`Relay   ${access.url}`);
    return 'done';
  },
});

import { defineCommand } from '../arguments/command.ts';
import { nearest } from '../arguments/nearest.ts';
import { Failure } from '../failure.ts';
import { requireRelay } from '../relay/require-relay.ts';
import { runForAgent } from './keys/agent-keys.ts';
import { forgetKeys, openKeyRing, showKeys } from './keys/key-ring.ts';
import { makeKeys, renewCode, restoreKeys } from './keys/make-keys.ts';

const actions = ['show', 'make', 'recovery', 'restore', 'forget'];

import { profileOption } from '../relay/with-profile.ts';

export const keys = defineCommand({
  name: 'keys',
  summary: "the expert's identity: show, make, recovery, restore, forget",
  usage: ['', 'make', 'recovery', 'restore', 'forget'],
  about:
    "An expert's conversations are encrypted with keys that only the expert has. `make` makes them, keeps them in a file that only you can read, and shows a recovery code once; the relay keeps a copy that only this code opens. `recovery` makes a new code, `restore` brings the keys to another machine. With an agent's key it shows, or forgets, the experts that have answered.",
  options: {
    replace: { help: 'for make and restore: replace the keys of this machine' },
    'for-good': { help: 'for forget: also if the keys exist nowhere else' },
    profile: profileOption,
    json: { help: 'one JSON object' },
  },
  examples: ['relay keys make', 'relay keys restore < code.txt', 'relay keys --json'],
  words: [0, 1],
  profiles: ['expert', 'agent'],
  async run(context, { options, words: [action = 'show'] }) {
    if (!actions.includes(action)) {
      const meant = nearest(action, actions);
      throw new Failure(
        'usage',
        `There is no \`relay keys ${action}\`.${meant ? ` Did you mean ${meant}?` : ''}\nMore: relay help keys`,
      );
    }
    const { replace = false, json = false, 'for-good': forGood = false } = options;
    const access = requireRelay(context.config, { kind: 'provider', folder: context.folder });
    if (access.kind === 'consumer') {
      await runForAgent(context, { action, json });
      return 'done';
    }
    const ring = await openKeyRing(context, access);
    if (action === 'make') await makeKeys(context, ring, { replace, json });
    else if (action === 'recovery') await renewCode(context, ring, { json });
    else if (action === 'restore') await restoreKeys(context, ring, { replace, json });
    else if (action === 'forget') await forgetKeys(context, ring, { forGood, json });
    else showKeys(context, ring, { json });
    return 'done';
  },
});

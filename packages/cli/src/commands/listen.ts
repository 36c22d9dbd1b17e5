import { defineCommand } from '../arguments/command.ts';
import { readRefCode } from '../arguments/read-values.ts';
import { acceptUnprotectedOption } from '../relay/open-agent.ts';
import { requireRelay } from '../relay/require-relay.ts';
import { profileOption } from '../relay/with-profile.ts';
import { listenAsAgent } from './listen/listen-as-agent.ts';
import { listenAsExpert } from './listen/listen-as-expert.ts';

export const listen = defineCommand({
  name: 'listen',
  summary: 'an inbox, live: requests for an expert, answers for an agent',
  usage: ['[options]', 'HS-... [options]'],
  about:
    'As an expert: first the waiting requests, then new ones and new messages of agents, until Ctrl-C. As an agent: the answers in all conversations that this machine stores, or in one, until they have ended.',
  options: {
    'pick-up': {
      help: 'for experts: sign each question and exchange keys as soon as it was printed, so that confidential questions are sent',
    },
    'accept-unprotected': acceptUnprotectedOption,
    profile: profileOption,
    json: { help: 'one JSON object a line' },
  },
  examples: ['relay listen', 'relay listen --json | while read -r line; do ./notify "$line"; done'],
  words: [0, 1],
  profiles: ['expert', 'agent'],
  endsWithReader: true,
  async run(context, { options, words: [word] }) {
    const refCode = word === undefined ? undefined : readRefCode(word);
    const access = requireRelay(context.config, { kind: 'provider', folder: context.folder });
    const json = options.json === true;
    if (access.kind === 'consumer')
      return await listenAsAgent(context, {
        refCode,
        json,
        acceptsUnprotected: context.config.acceptsUnprotected || options['accept-unprotected'] === true,
      });
    return await listenAsExpert(context, { refCode, json, picksUp: options['pick-up'] === true });
  },
});

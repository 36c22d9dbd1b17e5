import { defineCommand } from '../arguments/command.ts';
import { Failure } from '../failure.ts';
import { isProfileName, openProfiles } from '../store/profiles.ts';

export const logout = defineCommand({
  name: 'logout',
  summary: 'removes what `relay login` has stored',
  usage: ['', 'agent|expert'],
  about:
    "Removes the agent's and the expert's profile from this machine, or one of them. The keys stay valid at the relay until they are revoked there, and conversations stay on this machine.",
  options: { json: { help: 'one JSON object' } },
  examples: ['relay logout', 'relay logout expert'],
  words: [0, 1],
  startsWithWrongSettings: true,
  async run({ config, out }, { options: { json }, words: [word] }) {
    if (word !== undefined && !isProfileName(word))
      throw new Failure('usage', `"${word}" is not a profile: they are agent and expert.`);
    const profiles = openProfiles(config.folder);
    const removed = (await profiles.names()).filter((name) => word === undefined || name === word);
    for (const name of removed) await profiles.remove(name);
    if (json) out.line(JSON.stringify({ outcome: 'done', exit: 0, removed }));
    else if (removed.length === 0) out.line('No profile was stored.');
    else for (const name of removed) out.line(`The ${name}'s profile is removed.`);
    return 'done';
  },
});

import { openExpertKeys } from '@expert-relay/sdk/crypto';
import { defineCommand } from '../arguments/command.ts';
import type { Context } from '../context.ts';
import { findHub } from '../relay/find-hub.ts';
import { openClient } from '../relay/open-client.ts';
import { type Access, requireRelay } from '../relay/require-relay.ts';
import { describeSource, profileOption } from '../relay/with-profile.ts';
import { openExpertRoot } from '../store/expert-root.ts';
import { openProfiles } from '../store/profiles.ts';
import { knownExperts, openStore } from '../store/store.ts';

export const whoami = defineCommand({
  name: 'whoami',
  summary: 'shows which key counts: its kind and name, the relay, and the expert',
  usage: [''],
  about:
    "Shows what the relay knows about the key in RELAY_API_KEY or in a profile of `relay login`, where it comes from, the addresses of the relay and its hub, and whose answers count: with an expert's key the fingerprint of this machine, with an agent's key that of RELAY_EXPERT or of `relay login --expert`, or those that are known here from a first contact.",
  options: { profile: profileOption, json: { help: 'one JSON object' } },
  examples: ['relay whoami', 'relay whoami --json'],
  words: [0, 0],
  profiles: ['agent', 'expert'],
  async run(context, { options: { json } }) {
    const { config, folder, out, err, signal } = context;
    const access = requireRelay(config, { kind: 'consumer', folder });
    const who = await openClient(access).whoami({ signal });
    const hubUrl = config.hubUrl ?? (await findHub(access.url, signal));
    const identity = await readIdentity(context, access);
    const { profile } = config;
    const others = (await openProfiles(config.folder).names()).filter((name) => name !== profile);
    if (json) {
      out.line(JSON.stringify({ ...who, url: access.url, hubUrl, ...identity, profile, others }));
      return 'done';
    }
    const can = who.kind === 'provider' ? 'an expert: it answers' : 'an agent: it asks';
    out.line(`Key     ${out.shown(who.name)}`);
    out.line(`Kind    ${can}`);
    out.line(`User    ${who.userId}`);
    out.line(`Relay   ${access.url}`);
    out.line(`Hub     ${hubUrl ?? out.typed('unknown: relay doctor')}`);
    out.line(`Expert  ${out.typed(describeIdentity(identity))}`);
    out.line(`From    ${out.typed(describeSource(config))}`);
    for (const other of others)
      err.paragraph(
        profile === undefined
          ? `The ${other}'s profile is stored, and does not count while these variables are set.`
          : `The ${other}'s profile is stored, too: relay whoami --profile ${other}`,
        { style: 'dim' },
      );
    return 'done';
  },
});

/** With an expert's key its own fingerprint, with an agent's key those of the experts that it accepts. */
interface Identity {
  readonly kind: 'consumer' | 'provider';
  readonly fingerprint?: string | undefined;
  readonly expected?: readonly string[] | undefined;
  readonly knownExperts?: readonly string[] | undefined;
}

async function readIdentity({ config }: Context, { kind, apiKey }: Access): Promise<Identity> {
  if (kind === 'provider') {
    const root = await openExpertRoot(config.folder, apiKey).read();
    return { kind, fingerprint: root && (await openExpertKeys(root)).fingerprint };
  }
  const known = await knownExperts(openStore(config.folder, 'agents'));
  return { kind, expected: config.expert, knownExperts: [...new Set(known.values())] };
}

function describeIdentity({ kind, fingerprint, expected, knownExperts = [] }: Identity): string {
  if (kind === 'provider') return fingerprint ?? 'no keys on this machine: relay keys make';
  if (expected) return `${expected.join(', ')} (no other counts)`;
  return knownExperts.length > 0
    ? `${knownExperts.join(', ')} (known from first contact)`
    : 'not known yet: the first who answers will be remembered';
}

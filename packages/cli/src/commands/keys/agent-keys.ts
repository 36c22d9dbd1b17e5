import type { Context } from '../../context.ts';
import { Failure } from '../../failure.ts';
import { knownExperts, openStore } from '../../store/store.ts';

interface AgentKeys {
  action: string;
  json: boolean;
}

/** Agents have no identity. With an agent's key, the command shows the experts that answered on this machine. */
export async function runForAgent({ config, out, err }: Context, { action, json }: AgentKeys): Promise<void> {
  const store = openStore(config.folder, 'agents');
  if (action !== 'show' && action !== 'forget') {
    throw new Failure(
      'usage',
      `\`relay keys ${action}\` is for experts (hs_prov_...). An agent's keys are made automatically for each question.`,
    );
  }
  const known = await knownExperts(store);
  const fingerprints = [...new Set(known.values())];
  if (action === 'forget') for (const name of known.keys()) await store.delete(name);
  if (json) {
    out.line(JSON.stringify({ expected: config.expert, knownExperts: fingerprints }));
    return;
  }
  if (action === 'forget') {
    out.paragraph('Forgotten, at all relays. The next expert who answers counts as a first contact.');
    return;
  }
  if (config.expert) out.line(`Expected by RELAY_EXPERT  ${config.expert.join(', ')}`);
  for (const fingerprint of fingerprints) out.line(`Known from first contact  ${fingerprint}`);
  if (!config.expert && fingerprints.length === 0)
    out.paragraph('No expert is known yet: the first who answers will be remembered.');
  err.line();
  err.paragraph('Compare a fingerprint with the one that your expert sees in `relay keys`.');
}

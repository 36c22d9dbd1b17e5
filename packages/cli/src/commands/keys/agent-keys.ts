import type { Context } from '../../context.ts';
import { Failure } from '../../failure.ts';
import { isFingerprint, openMemory } from '../../store/memory.ts';

interface AgentKeys {
  action: string;
  json: boolean;
}

/** Agents have no identity. With an agent's key, the command shows the experts that answered on this machine. */
export function runForAgent({ config, out, err, now }: Context, { action, json }: AgentKeys): void {
  const memory = openMemory(config.folder, 'agents', now);
  if (action !== 'show' && action !== 'forget') {
    throw new Failure(
      'usage',
      `\`relay keys ${action}\` is for experts (hs_prov_...). An agent's keys are made automatically for each question.`,
    );
  }
  const fingerprints = [...new Set(memory.values().filter(isFingerprint))];
  if (action === 'forget') memory.forget(isFingerprint);
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

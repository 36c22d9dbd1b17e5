import { showHidden } from '@expert-relay/sdk/safe';

interface Names {
  /** The name that the agent gave itself. It is signed with the question. */
  readonly agentName: string | undefined;
  /** The name of the agent's key, as the relay states it. */
  readonly keyName: string | undefined;
}

/** Who asks: the name that is signed, or what the relay states. */
export const agentNameOf = ({ agentName, keyName }: Names, orElse: string): string =>
  agentName ? showHidden(agentName) : keyName ? showHidden(keyName) : orElse;

/** Both names, if they differ. */
export const agentAndKey = ({ agentName, keyName }: Names, orElse: string): string =>
  agentName && keyName && agentName !== keyName
    ? `${showHidden(agentName)} (key: ${showHidden(keyName)})`
    : agentNameOf({ agentName, keyName }, orElse);

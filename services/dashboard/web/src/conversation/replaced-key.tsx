import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useAppContext, useExpertKey } from '../app-context/app-context.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { Notice } from '../ui/notice.tsx';
import { useStore } from '../ui/store.ts';
import { isOfKeys } from '../vault/earlier-keys.ts';
import { hasEnded } from './conversation-state.ts';
import type { FailureCode } from './refusal-sentences.ts';
import type { useConversation } from './use-conversation.ts';

interface RefusalOfReplacedKeyProps {
  readonly requestId: string;
  readonly code: FailureCode;
  /** The refusal, where it has another reason. */
  readonly children: ReactNode;
}

/** A conversation that was answered with a key that the expert has replaced since. */
export function RefusalOfReplacedKey({ requestId, code, children }: RefusalOfReplacedKeyProps) {
  const { identities } = useStore(useAppContext().expertKey.earlier.state);
  const mayBe = code === 'keys_changed' && identities.length > 0;
  const check = useQuery({
    queryKey: ['is-of-earlier-key', requestId, identities],
    queryFn: () => isOfKeys(requestId, identities),
    enabled: mayBe,
  });
  if (mayBe && check.isPending) return null;
  if (check.data !== true) return children;
  return (
    <Notice title="You have replaced the key of this conversation.">
      <p>
        It was answered with your earlier key, so its messages cannot be read here any more, and nothing more
        can be sent. If the answer is still needed, the agent has to ask again.
      </p>
    </Notice>
  );
}

/** Warns that an agent may refuse the answers, since it knows the expert by an earlier key. */
export function NewKeyNotice({ conversation }: { conversation: ReturnType<typeof useConversation> }) {
  const key = useExpertKey();
  const { agents } = useStore(useAppContext().expertKey.earlier.state);
  const { request, messages } = conversation.now;
  if (key.kind !== 'ready' || !request?.encrypted || hasEnded(request)) return null;
  // An agent encrypts only for a key that it accepts.
  const isAccepted = messages.some(
    ({ role, protection }) => role === 'consumer' && protection !== 'plaintext',
  );
  if (isAccepted || !agents.includes(request.agent ?? '')) return null;
  return (
    <Notice
      kind="warning"
      title="This agent knows your earlier key."
      actions={<CopyButton text={key.fingerprint} look="plain" label="Copy your new fingerprint" />}
    >
      <p>It does not accept your answers until its owner has given it the fingerprint of your new key.</p>
    </Notice>
  );
}

import { type ReactNode, useState } from 'react';
import { type Choice, Choices } from '../ui/choices.tsx';
import { FormButtons } from '../ui/form-buttons.tsx';
import { Panel } from '../ui/panel.tsx';
import { useAction } from '../ui/use-action.ts';
import { ActionError } from './action-error.tsx';

interface RotateSecretProps {
  readonly title: string;
  readonly isInner?: boolean;
  readonly about?: ReactNode;
  /** How long the old secret stays in use, in seconds. */
  readonly graces: readonly Choice<string>[];
  /** Resolves with the new secret. */
  readonly rotate: (graceSeconds: number) => Promise<string>;
  /** Shows the new secret. */
  readonly children: (secret: string, graceSeconds: number) => ReactNode;
  readonly onCancel: () => void;
}

/** Makes a new secret in place of an old one, which may stay in use for a while. */
export function RotateSecret({
  title,
  isInner = false,
  about,
  graces,
  rotate,
  children,
  onCancel,
}: RotateSecretProps) {
  const [grace, setGrace] = useState('86400');
  // The secret exists only in this state, and is gone when the panel closes.
  const [secret, setSecret] = useState<string>();
  const rotating = useAction(async () => setSecret(await rotate(Number(grace))));
  if (secret) return children(secret, Number(grace));
  return (
    <Panel isInner={isInner} title={title}>
      {about && <p>{about}</p>}
      <Choices legend="What about the old secret?" choices={graces} value={grace} onChange={setGrace} />
      <FormButtons
        submit={['Make a new secret', 'Making…']}
        isBusy={rotating.isBusy}
        onSubmit={() => void rotating.run()}
        onCancel={onCancel}
      />
      <ActionError error={rotating.error} />
    </Panel>
  );
}

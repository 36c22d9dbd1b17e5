import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ActionError } from '../calls/action-error.tsx';
import type { Key } from '../generated/api.ts';
import { type Choice, Choices } from '../ui/choices.tsx';
import { FormButtons } from '../ui/form-buttons.tsx';
import { Panel } from '../ui/panel.tsx';
import { useAction } from '../ui/use-action.ts';
import { rotateKey } from './key-calls.ts';
import { NewKeySecret } from './new-key-secret.tsx';

type Grace = '0' | '3600' | '86400' | '604800';

const graces: readonly Choice<Grace>[] = [
  { value: '0', label: 'It stops now', hint: 'For a secret that others may have seen.' },
  { value: '3600', label: 'It works for 1 hour' },
  { value: '86400', label: 'It works for 1 day' },
  { value: '604800', label: 'It works for 1 week' },
];

const time = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** Gives a key a new secret. The key itself stays the same. */
export function RotateKey({ apiKey, onClose }: { apiKey: Key; onClose: () => void }) {
  const queries = useQueryClient();
  const [grace, setGrace] = useState<Grace>('86400');
  // The secret exists only in this state, and is gone when the panel closes.
  const [made, setMade] = useState<{ secret: string; endsAt: number }>();
  const rotating = useAction(async () => {
    const { secret } = await rotateKey(queries, apiKey.id, Number(grace));
    setMade({ secret, endsAt: Date.now() + Number(grace) * 1_000 });
  });

  if (made) {
    return (
      <NewKeySecret
        title={`The new secret of “${apiKey.name}”`}
        kind={apiKey.kind}
        secret={made.secret}
        note={
          grace === '0'
            ? 'The old one is refused within 5 seconds.'
            : `The old one works until ${time.format(made.endsAt)}.`
        }
        onClose={onClose}
      />
    );
  }
  return (
    <Panel title={`A new secret for “${apiKey.name}”`}>
      <p>
        The key keeps its name, its requests and its conversations. Put the new secret where the old one is
        used before the old one stops.
      </p>
      <Choices legend="What about the old secret?" choices={graces} value={grace} onChange={setGrace} />
      <FormButtons
        submit={['Make a new secret', 'Making…']}
        isBusy={rotating.isBusy}
        onSubmit={() => void rotating.run()}
        onCancel={onClose}
      />
      <ActionError error={rotating.error} />
    </Panel>
  );
}

import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ActionError } from '../calls/action-error.tsx';
import type { Webhook } from '../generated/api.ts';
import { type Choice, Choices } from '../ui/choices.tsx';
import { FormButtons } from '../ui/form-buttons.tsx';
import { Panel } from '../ui/panel.tsx';
import { useAction } from '../ui/use-action.ts';
import { rotateWebhook } from './webhook-calls.ts';
import { WebhookSecret } from './webhook-secret.tsx';

type Grace = '0' | '3600' | '86400';

const graces: readonly Choice<Grace>[] = [
  { value: '86400', label: 'Both sign for 1 day', hint: 'The receiver can be changed in that time.' },
  { value: '3600', label: 'Both sign for 1 hour' },
  { value: '0', label: 'It stops now', hint: 'For a secret that others may have seen.' },
];

/** Gives a webhook a new secret. */
export function RotateWebhook({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const queries = useQueryClient();
  const [grace, setGrace] = useState<Grace>('86400');
  // The secret exists only in this state, and is gone when the panel closes.
  const [secret, setSecret] = useState<string>();
  const rotating = useAction(async () => setSecret(await rotateWebhook(queries, webhook.id, Number(grace))));
  if (secret) {
    return <WebhookSecret title="The new secret of this webhook" secret={secret} onClose={onClose} />;
  }
  return (
    <Panel isInner title="A new secret for this webhook">
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

import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Key } from '../generated/api.ts';
import { RotateSecret } from '../relay/rotate-secret.tsx';
import type { Choice } from '../ui/choices.tsx';
import { locale } from '../ui/locale.ts';
import { rotateKey } from './key-calls.ts';
import { NewKeySecret } from './new-key-secret.tsx';

const graces: readonly Choice<string>[] = [
  { value: '0', label: 'It stops now', hint: 'For a secret that others may have seen.' },
  { value: '3600', label: 'It works for 1 hour' },
  { value: '86400', label: 'It works for 1 day' },
  { value: '604800', label: 'It works for 1 week' },
];

const time = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });

/** Gives a key a new secret. The key itself stays the same. */
export function RotateKey({ apiKey, onClose }: { apiKey: Key; onClose: () => void }) {
  const queries = useQueryClient();
  const [madeAt, setMadeAt] = useState(0);
  return (
    <RotateSecret
      title={`A new secret for “${apiKey.name}”`}
      about="The key keeps its name, its requests and its conversations. Put the new secret where the old one is used before the old one stops."
      graces={graces}
      rotate={async (graceSeconds) => {
        const { secret } = await rotateKey(queries, apiKey.id, graceSeconds);
        setMadeAt(Date.now());
        return secret;
      }}
      onCancel={onClose}
    >
      {(secret, graceSeconds) => (
        <NewKeySecret
          title={`The new secret of “${apiKey.name}”`}
          kind={apiKey.kind}
          secret={secret}
          note={
            graceSeconds === 0
              ? 'The old one is refused within 5 seconds.'
              : `The old one works until ${time.format(madeAt + graceSeconds * 1_000)}.`
          }
          onClose={onClose}
        />
      )}
    </RotateSecret>
  );
}

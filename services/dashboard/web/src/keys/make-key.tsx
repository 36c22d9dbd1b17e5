import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { ActionError } from '../relay/action-error.tsx';
import { type Choice, Choices } from '../ui/choices.tsx';
import { FormButtons } from '../ui/form-buttons.tsx';
import { Panel } from '../ui/panel.tsx';
import rows from '../ui/rows.module.css';
import { TextField } from '../ui/text-field.tsx';
import { useAction } from '../ui/use-action.ts';
import { type KeyKind, makeKey } from './key-calls.ts';
import { NewKeySecret } from './new-key-secret.tsx';

const kinds: readonly Choice<KeyKind>[] = [
  { value: 'consumer', label: 'For an agent', hint: 'It asks you questions, and reads your answers.' },
  {
    value: 'provider',
    label: 'For a script of yours',
    hint: 'It can read and answer everything as you.',
  },
];

export function MakeKey({ onClose }: { onClose: () => void }) {
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [kind, setKind] = useState<KeyKind>('consumer');
  const [mistake, setMistake] = useState<string>();
  const field = useRef<HTMLInputElement>(null);
  // The secret exists only in this state, and is gone when the panel closes.
  const [secret, setSecret] = useState<string>();
  const making = useAction(async () =>
    setSecret((await makeKey(queries, { name: name.trim(), kind })).secret),
  );

  function make(event: FormEvent) {
    event.preventDefault();
    const isNamed = name.trim() !== '';
    setMistake(isNamed ? undefined : 'Give it a name, such as the agent’s.');
    if (isNamed) void making.run();
    else field.current?.focus();
  }

  if (secret) {
    return <NewKeySecret title={`The key “${name.trim()}”`} kind={kind} secret={secret} onClose={onClose} />;
  }
  return (
    <Panel title="Make a key">
      <form className={rows.form} onSubmit={make} noValidate>
        <TextField
          ref={field}
          label="Name"
          autoFocus
          required
          maxLength={100}
          dir="auto"
          value={name}
          onChange={({ target }) => setName(target.value)}
          error={mistake}
          autoComplete="off"
        />
        <Choices legend="What is it for?" choices={kinds} value={kind} onChange={setKind} />
        <FormButtons submit={['Make key', 'Making…']} isBusy={making.isBusy} onCancel={onClose} />
        <ActionError error={making.error} />
      </form>
    </Panel>
  );
}

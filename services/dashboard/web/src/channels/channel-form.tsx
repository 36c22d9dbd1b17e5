import { type FormEvent, useState } from 'react';
import { ActionError } from '../calls/action-error.tsx';
import type { Channel } from '../generated/api.ts';
import { FormButtons } from '../ui/form-buttons.tsx';
import rows from '../ui/rows.module.css';
import { SelectField } from '../ui/select-field.tsx';
import { Switch } from '../ui/switch.tsx';
import { TextField } from '../ui/text-field.tsx';
import { useAction } from '../ui/use-action.ts';
import type { ChannelSettings } from './channel-calls.ts';
import { delayOptions } from './delays.ts';

/** Who can read a question that a channel shows. */
const questionHints: Readonly<Record<Channel['kind'], string>> = {
  push: 'Anybody who sees the screen can read it, even while it is locked.',
  mail: 'It is not encrypted in the mail.',
  chat: 'Everybody in that chat can read it.',
};

/** A mail is for later: the least delay. */
const leastDelays: Readonly<Record<Channel['kind'], number>> = { push: 0, mail: 60, chat: 0 };

/** The address of a new channel. */
export interface AddressField {
  readonly label: string;
  readonly hint: string;
  readonly placeholder: string;
  readonly type: 'email' | 'url';
  readonly mistake: string;
}

interface ChannelFormProps {
  readonly kind: Channel['kind'];
  readonly settings: ChannelSettings;
  /** Of a new channel. It cannot be changed later. */
  readonly address?: AddressField;
  readonly submit: readonly [label: string, busyLabel: string];
  readonly onSubmit: (settings: ChannelSettings, address: string) => Promise<void>;
  readonly onCancel: () => void;
}

/** The name of a channel, when it notifies, and whether it shows the question. */
export function ChannelForm({ kind, settings, address, submit, onSubmit, onCancel }: ChannelFormProps) {
  const [target, setTarget] = useState('');
  const [name, setName] = useState(settings.label ?? '');
  const [delaySeconds, setDelay] = useState(settings.delaySeconds);
  const [showQuestion, setShowQuestion] = useState(settings.showQuestion);
  const [mistake, setMistake] = useState<string>();
  const saving = useAction(onSubmit);

  function save(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const isComplete = !address || (target.trim() !== '' && event.currentTarget.checkValidity());
    setMistake(isComplete ? undefined : address?.mistake);
    const label = name.trim() || null;
    if (isComplete) void saving.run({ label, delaySeconds, showQuestion }, target.trim());
    else event.currentTarget.querySelector('input')?.focus();
  }

  return (
    <form className={rows.form} onSubmit={save} noValidate>
      {address && (
        <TextField
          label={address.label}
          hint={address.hint}
          type={address.type}
          placeholder={address.placeholder}
          autoFocus
          required
          maxLength={2_000}
          value={target}
          onChange={(event) => setTarget(event.target.value)}
          error={mistake}
          autoComplete={address.type === 'email' ? 'email' : 'off'}
          spellCheck={false}
        />
      )}
      {kind === 'chat' && (
        <TextField
          label="Name"
          hint="Of the channel, for you."
          placeholder="#on-call"
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.target.value)}
          autoComplete="off"
        />
      )}
      <SelectField
        label="When"
        hint="It is not sent if the request was answered or has ended until then."
        options={delayOptions(leastDelays[kind], delaySeconds)}
        value={String(delaySeconds)}
        onChange={(value) => setDelay(Number(value))}
      />
      <Switch
        label="Show the question"
        hint={`${questionHints[kind]} Without it, the agent and the code are shown.`}
        isOn={showQuestion}
        onChange={setShowQuestion}
      />
      <FormButtons submit={submit} isBusy={saving.isBusy} onCancel={onCancel} />
      <ActionError error={saving.error} />
    </form>
  );
}

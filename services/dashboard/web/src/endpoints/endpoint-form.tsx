import { type FormEvent, useState } from 'react';
import { ActionError } from '../relay/action-error.tsx';
import { Checkboxes } from '../ui/checkboxes.tsx';
import type { Choice } from '../ui/choices.tsx';
import { FormButtons } from '../ui/form-buttons.tsx';
import rows from '../ui/rows.module.css';
import { SelectField } from '../ui/select-field.tsx';
import { Switch } from '../ui/switch.tsx';
import { TextField } from '../ui/text-field.tsx';
import { useAction } from '../ui/use-action.ts';
import { delayOptions } from './delays.ts';
import type { EndpointKind, EndpointSettings, WebhookEvent } from './endpoint-calls.ts';

const addresses = {
  email: {
    label: 'Email address',
    hint: 'An email with a link is sent to it, to confirm that it is yours.',
    placeholder: 'you@example.com',
    type: 'email',
    mistake: 'Enter one email address.',
  },
  chat: {
    label: 'Address of an incoming webhook',
    hint: 'From the channel’s settings in Slack, Mattermost or Discord. Keep it secret: with it, anyone can post there.',
    placeholder: 'https://hooks.slack.com/services/…',
    type: 'url',
    mistake: 'Enter the whole address, which begins with https://.',
  },
  webhook: {
    label: 'Address',
    hint: 'The relay sends a POST to it.',
    placeholder: 'https://',
    type: 'url',
    mistake: 'Enter an address such as https://agent.example.com/hook.',
  },
} as const;

/** Who can read a question that a channel shows. */
const questionHints = {
  push: 'Anybody who sees the screen can read it, even while it is locked.',
  email: 'It is not encrypted in the email.',
  chat: 'Everybody in that chat can read it.',
};

export const eventsOfKey: readonly Choice<WebhookEvent>[] = [
  { value: 'message.created', label: 'You have answered' },
  { value: 'keys.exchanged', label: 'You have begun to answer an encrypted request' },
  { value: 'request.closed', label: 'A request has ended' },
  { value: 'request.expired', label: 'A request has expired' },
];

export const eventsOfUser: readonly Choice<WebhookEvent>[] = [
  { value: 'request.created', label: 'An agent asks' },
  { value: 'message.created', label: 'An agent writes again' },
  { value: 'request.closed', label: 'A request has ended' },
  { value: 'request.expired', label: 'A request has expired' },
];

interface EndpointFormProps {
  readonly kind: EndpointKind;
  /** The events that a webhook may have. */
  readonly events: readonly Choice<WebhookEvent>[];
  readonly settings: EndpointSettings;
  readonly isNew?: boolean;
  readonly onSubmit: (settings: EndpointSettings) => Promise<void>;
  readonly onCancel: () => void;
}

/** What an endpoint is called for: the address, and when and how. */
export function EndpointForm({
  kind,
  events,
  settings,
  isNew = false,
  onSubmit,
  onCancel,
}: EndpointFormProps) {
  const [values, setValues] = useState(settings);
  const [mistakes, setMistakes] = useState<{ address?: string; events?: string }>({});
  const saving = useAction(onSubmit);
  const set = (change: Partial<EndpointSettings>) => setValues({ ...values, ...change });
  const address = kind !== 'push' && (isNew || kind === 'webhook') ? addresses[kind] : undefined;

  function save(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = event.currentTarget;
    const target = values.address.trim();
    const isAddress = !address || (target !== '' && form.checkValidity());
    const isChosen = kind !== 'webhook' || values.events.length > 0;
    setMistakes({
      ...(!isAddress && { address: address.mistake }),
      ...(!isChosen && { events: 'Choose at least one.' }),
    });
    if (!isAddress) form.querySelector('input')?.focus();
    else if (isChosen) void saving.run({ ...values, address: target, label: values.label?.trim() || null });
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
          value={values.address}
          onChange={({ target }) => set({ address: target.value })}
          error={mistakes.address}
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
          value={values.label ?? ''}
          onChange={({ target }) => set({ label: target.value })}
          autoComplete="off"
        />
      )}
      {kind === 'webhook' ? (
        <Checkboxes
          legend="Call it when"
          choices={events.map((choice) => ({ ...choice, hint: choice.value }))}
          values={values.events}
          onChange={(chosen) => set({ events: chosen })}
          error={mistakes.events}
        />
      ) : (
        <>
          <SelectField
            label="When"
            hint="Not sent if it is answered or ended by then."
            // An email is for later.
            options={delayOptions(kind === 'email' ? 60 : 0, values.delaySeconds)}
            value={String(values.delaySeconds)}
            onChange={(seconds) => set({ delaySeconds: Number(seconds) })}
          />
          <Switch
            label="Show the question"
            hint={`${questionHints[kind]} Without it, the agent and the code are shown.`}
            isOn={values.showQuestion}
            onChange={(showQuestion) => set({ showQuestion })}
          />
        </>
      )}
      <FormButtons
        submit={isNew ? ['Add', 'Adding…'] : ['Save', 'Saving…']}
        isBusy={saving.isBusy}
        onCancel={onCancel}
      />
      <ActionError error={saving.error} />
    </form>
  );
}

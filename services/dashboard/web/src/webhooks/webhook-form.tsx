import { type FormEvent, useRef, useState } from 'react';
import { ActionError } from '../calls/action-error.tsx';
import type { Webhook } from '../generated/api.ts';
import { Checkboxes } from '../ui/checkboxes.tsx';
import type { Choice } from '../ui/choices.tsx';
import { FormButtons } from '../ui/form-buttons.tsx';
import rows from '../ui/rows.module.css';
import { TextField } from '../ui/text-field.tsx';
import { useAction } from '../ui/use-action.ts';
import type { EventType } from './webhook-calls.ts';

const eventsOfKey: readonly Choice<EventType>[] = [
  { value: 'message.created', label: 'You have answered' },
  { value: 'keys.exchanged', label: 'You have begun to answer an encrypted request' },
  { value: 'request.closed', label: 'A request has ended' },
  { value: 'request.expired', label: 'A request has expired' },
];

const eventsOfUser: readonly Choice<EventType>[] = [
  { value: 'request.created', label: 'An agent asks' },
  { value: 'message.created', label: 'An agent writes again' },
  { value: 'request.closed', label: 'A request has ended' },
  { value: 'request.expired', label: 'A request has expired' },
];

interface WebhookFormProps {
  /** Of an agent's key, or of the user. */
  readonly isOfKey: boolean;
  /** The one that is changed. */
  readonly webhook?: Pick<Webhook, 'url' | 'events'>;
  readonly submit: readonly [label: string, busyLabel: string];
  readonly onSubmit: (values: { url: string; events: readonly EventType[] }) => Promise<void>;
  readonly onCancel: () => void;
}

/** Address and events of a webhook. */
export function WebhookForm({ isOfKey, webhook, submit, onSubmit, onCancel }: WebhookFormProps) {
  const choices = isOfKey ? eventsOfKey : eventsOfUser;
  const [url, setUrl] = useState(webhook?.url ?? '');
  const [events, setEvents] = useState(webhook?.events ?? choices.map(({ value }) => value));
  const [mistakes, setMistakes] = useState<{ url?: string; events?: string }>({});
  const field = useRef<HTMLInputElement>(null);
  const saving = useAction(onSubmit);

  function save(event: FormEvent) {
    event.preventDefault();
    const isUrl = URL.canParse(url.trim());
    setMistakes({
      ...(!isUrl && { url: 'Enter an address such as https://agent.example.com/hook.' }),
      ...(events.length === 0 && { events: 'Choose at least one.' }),
    });
    if (!isUrl) field.current?.focus();
    else if (events.length > 0) void saving.run({ url: url.trim(), events });
  }

  return (
    <form className={rows.form} onSubmit={save} noValidate>
      <TextField
        ref={field}
        label="Address"
        hint="The relay sends a POST to it."
        type="url"
        inputMode="url"
        autoFocus
        required
        maxLength={2_000}
        placeholder="https://"
        value={url}
        onChange={({ target }) => setUrl(target.value)}
        error={mistakes.url}
        autoComplete="off"
        spellCheck={false}
      />
      <Checkboxes
        legend="Call it when"
        choices={choices.map((choice) => ({ ...choice, hint: choice.value }))}
        values={events}
        onChange={setEvents}
        error={mistakes.events}
      />
      <FormButtons submit={submit} isBusy={saving.isBusy} onCancel={onCancel} />
      <ActionError error={saving.error} />
    </form>
  );
}

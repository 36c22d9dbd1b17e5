import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { Notifications } from '../generated/api.ts';
import { ActionError } from '../relay/action-error.tsx';
import { Button } from '../ui/button.tsx';
import { FormButtons } from '../ui/form-buttons.tsx';
import { locale } from '../ui/locale.ts';
import { Notice } from '../ui/notice.tsx';
import { Panel } from '../ui/panel.tsx';
import rows from '../ui/rows.module.css';
import { SelectField } from '../ui/select-field.tsx';
import { TextField } from '../ui/text-field.tsx';
import { useNow } from '../ui/time.tsx';
import { useAction } from '../ui/use-action.ts';
import { useOpener } from '../ui/use-opener.ts';
import { changeTimes } from './endpoint-calls.ts';
import { nextMorning, toLocalText } from './local-times.ts';

const exact = new Intl.DateTimeFormat(locale, {
  weekday: 'long',
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
});
const hourMs = 3_600_000;

interface PauseSettingProps {
  readonly onDone: (text: string) => void;
}

interface PauseNoticeProps extends PauseSettingProps {
  readonly state: Notifications;
}

/** Says that all channels are paused. */
export function PauseNotice({ state, onDone }: PauseNoticeProps) {
  const { pausedUntil } = state;
  const queries = useQueryClient();
  const now = useNow();
  const ending = useAction(async () => {
    await changeTimes(queries, { pausedUntil: null });
    onDone('The pause has ended.');
  });
  if (pausedUntil === null || Date.parse(pausedUntil) <= now) return null;
  return (
    <Notice
      title={`Paused until ${exact.format(Date.parse(pausedUntil))}.`}
      actions={
        <Button isBusy={ending.isBusy} onClick={() => void ending.run()}>
          End the pause
        </Button>
      }
    >
      <p>Nothing is sent meanwhile. What still waits for you at that time is sent.</p>
      <ActionError error={ending.error} />
    </Notice>
  );
}

/** Lets the expert pause all channels until a time. */
export function PauseSetting({ onDone }: PauseSettingProps) {
  const queries = useQueryClient();
  const { isOpen, button, open, close } = useOpener();
  const pausing = useAction(async (until: string) => {
    await changeTimes(queries, { pausedUntil: until });
    onDone('Paused.');
    close();
  });
  return (
    <>
      <div className={rows.line}>
        <div className={rows.facts}>
          <span className={rows.name}>Pause</span>
          <span className={rows.detail}>For a holiday, or an hour of quiet.</span>
        </div>
        {!isOpen && (
          <Button ref={button} onClick={open}>
            Pause all channels
          </Button>
        )}
      </div>
      {isOpen && (
        <Panel title="Pause all channels">
          <PauseForm
            isBusy={pausing.isBusy}
            onSubmit={(until) => void pausing.run(until.toISOString())}
            onCancel={close}
          />
          <ActionError error={pausing.error} />
        </Panel>
      )}
    </>
  );
}

type Length = '1' | '4' | 'tomorrow' | 'monday' | 'other';

const lengths: readonly (readonly [Length, string])[] = [
  ['1', 'For 1 hour'],
  ['4', 'For 4 hours'],
  ['tomorrow', 'Until tomorrow at 8:00'],
  ['monday', 'Until Monday at 8:00'],
  ['other', 'Until another time'],
];

interface PauseFormProps {
  readonly isBusy: boolean;
  readonly onSubmit: (until: Date) => void;
  readonly onCancel: () => void;
}

function PauseForm({ isBusy, onSubmit, onCancel }: PauseFormProps) {
  const [length, setLength] = useState<Length>('1');
  const [other, setOther] = useState(() => toLocalText(nextMorning(new Date())));
  const [mistake, setMistake] = useState<string>();

  function endOf(): Date {
    const now = new Date();
    if (length === 'other') return new Date(other);
    if (length === 'tomorrow') return nextMorning(now);
    if (length === 'monday') return nextMorning(now, 1);
    return new Date(now.getTime() + Number(length) * hourMs);
  }
  function pause(event: FormEvent) {
    event.preventDefault();
    const until = endOf();
    const isFuture = until.getTime() > Date.now();
    setMistake(isFuture ? undefined : 'Choose a time in the future.');
    if (isFuture) onSubmit(until);
  }

  return (
    <form className={rows.form} onSubmit={pause} noValidate>
      <SelectField
        label="How long"
        options={lengths}
        value={length}
        onChange={(value) => setLength(value as Length)}
      />
      {length === 'other' && (
        <TextField
          label="Until"
          type="datetime-local"
          value={other}
          onChange={({ target }) => setOther(target.value)}
          error={mistake}
        />
      )}
      <FormButtons submit={['Pause', 'Pausing…']} isBusy={isBusy} onCancel={onCancel} />
    </form>
  );
}

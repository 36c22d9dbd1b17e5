import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { Notifications, QuietHoursOrNull } from '../generated/api.ts';
import { ActionError } from '../relay/action-error.tsx';
import { Button } from '../ui/button.tsx';
import { FormButtons } from '../ui/form-buttons.tsx';
import { locale } from '../ui/locale.ts';
import { Panel } from '../ui/panel.tsx';
import rows from '../ui/rows.module.css';
import { SelectField } from '../ui/select-field.tsx';
import { TextField } from '../ui/text-field.tsx';
import { useAction } from '../ui/use-action.ts';
import { useOpener } from '../ui/use-opener.ts';
import { changeTimes } from './endpoint-calls.ts';
import styles from './quiet-hours.module.css';

interface QuietHoursSettingProps {
  readonly state: Notifications;
  readonly onDone: (text: string) => void;
}

/** The hours of each day in which nothing is sent. */
export function QuietHoursSetting({ state, onDone }: QuietHoursSettingProps) {
  const { quietHours } = state;
  const queries = useQueryClient();
  const { isOpen, button, open, close } = useOpener();
  const changing = useAction(async (hours: QuietHoursOrNull) => {
    await changeTimes(queries, { quietHours: hours });
    onDone(hours ? 'Saved' : 'There are no quiet hours any more.');
    close();
  });
  return (
    <>
      <div className={rows.line}>
        <div className={rows.facts}>
          <span className={rows.name}>Quiet hours</span>
          <span className={rows.detail}>
            {quietHours ? (
              <>
                <span>
                  {showTime(quietHours.from)} to {showTime(quietHours.to)}
                </span>
                <span>{showZone(quietHours.timeZone)}</span>
              </>
            ) : (
              <span>Off</span>
            )}
          </span>
        </div>
        {!isOpen && (
          <div className={rows.actions}>
            <Button ref={button} aria-label={`${quietHours ? 'Change' : 'Set'}: quiet hours`} onClick={open}>
              {quietHours ? 'Change' : 'Set'}
            </Button>
            {quietHours && (
              <Button
                isBusy={changing.isBusy}
                aria-label="Remove: quiet hours"
                onClick={() => void changing.run(null)}
              >
                Remove
              </Button>
            )}
          </div>
        )}
      </div>
      {isOpen && (
        <Panel title="Quiet hours">
          <QuietHoursForm
            hours={quietHours}
            isBusy={changing.isBusy}
            onSubmit={(hours) => void changing.run(hours)}
            onCancel={close}
          />
        </Panel>
      )}
      <ActionError error={changing.error} />
    </>
  );
}

const clock = new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone: 'UTC' });

/** "22:00" as people write it here. */
const showTime = (time: string): string => clock.format(Date.parse(`1970-01-01T${time}Z`));

const showZone = (zone: string): string => zone.replaceAll('_', ' ');

/** Older browsers cannot list the zones. */
function zonesWith(...chosen: readonly string[]): readonly (readonly [string, string])[] {
  const known = Intl.supportedValuesOf?.('timeZone') ?? [];
  return [...new Set([...chosen, 'UTC', ...known])].sort().map((zone) => [zone, showZone(zone)]);
}

interface QuietHoursFormProps {
  readonly hours: QuietHoursOrNull;
  readonly isBusy: boolean;
  readonly onSubmit: (hours: NonNullable<QuietHoursOrNull>) => void;
  readonly onCancel: () => void;
}

function QuietHoursForm({ hours, isBusy, onSubmit, onCancel }: QuietHoursFormProps) {
  const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const [from, setFrom] = useState(hours?.from ?? '22:00');
  const [to, setTo] = useState(hours?.to ?? '07:00');
  const [timeZone, setTimeZone] = useState(hours?.timeZone ?? ownZone);
  const [zones] = useState(() => zonesWith(timeZone, ownZone));
  const [mistake, setMistake] = useState<string>();

  function save(event: FormEvent) {
    event.preventDefault();
    const isComplete = from !== '' && to !== '' && from !== to;
    setMistake(isComplete ? undefined : 'Enter two different times.');
    if (isComplete) onSubmit({ from, to, timeZone });
  }

  return (
    <form className={rows.form} onSubmit={save} noValidate>
      <p>Nothing is sent in these hours. What still waits for you at their end is sent then.</p>
      <div className={styles.times}>
        <TextField label="From" type="time" value={from} onChange={({ target }) => setFrom(target.value)} />
        <TextField
          label="To"
          type="time"
          value={to}
          onChange={({ target }) => setTo(target.value)}
          error={mistake}
        />
      </div>
      <SelectField label="Time zone" options={zones} value={timeZone} onChange={setTimeZone} />
      <FormButtons submit={['Save', 'Saving…']} isBusy={isBusy} onCancel={onCancel} />
    </form>
  );
}

import { useState } from 'react';
import { askForNotifications } from '../notifications/notifications.ts';
import { changePreferences, type Preferences, preferences } from '../preferences/preferences.ts';
import { type Choice, Choices } from '../ui/choices.tsx';
import { Notice } from '../ui/notice.tsx';
import { useStore } from '../ui/store.ts';
import { Section, useDone } from './section.tsx';

type Notifications = Preferences['notifications'];

const choices: readonly Choice<Notifications>[] = [
  { value: 'off', label: 'Off' },
  { value: 'on', label: 'On', hint: 'They show the agent and the code of the request.' },
  {
    value: 'with-question',
    label: 'On, with the question',
    hint: 'Anybody who sees your screen can read it, even while it is locked.',
  },
];

export function NotificationSettings() {
  const { notifications } = useStore(preferences);
  const [refusal, setRefusal] = useState<'denied' | 'unsupported'>();
  const [done, setDone] = useDone();

  async function choose(chosen: Notifications) {
    const outcome = chosen === 'off' ? 'granted' : await askForNotifications();
    setRefusal(outcome === 'granted' ? undefined : outcome);
    if (outcome !== 'granted') return;
    changePreferences({ notifications: chosen });
    setDone('Saved');
  }

  return (
    <Section
      title="Notifications"
      about="About new requests, while Expert Relay is open in this browser."
      done={done}
    >
      <Choices
        legend="Notifications"
        isLegendHidden
        choices={choices}
        value={notifications}
        onChange={(chosen) => void choose(chosen)}
      />
      {refusal && (
        <Notice kind="warning" title="This browser does not allow notifications here.">
          <p>
            {refusal === 'denied'
              ? 'Allow them for this page in the browser’s settings, beside its address, then choose again.'
              : 'On a phone, add Expert Relay to the home screen first, open it from there, then choose again.'}
          </p>
        </Notice>
      )}
    </Section>
  );
}

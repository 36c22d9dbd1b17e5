import { useState } from 'react';
import { changePreferences, type Preferences, preferences } from '../preferences/preferences.ts';
import { type Choice, Choices } from '../ui/choices.tsx';
import { Notice } from '../ui/notice.tsx';
import { useStore } from '../ui/store.ts';
import { Section } from './section.tsx';
import { useDone } from './use-done.ts';

type Notifications = Preferences['notifications'];

const choices: readonly Choice<Notifications>[] = [
  { value: 'off', label: 'Off' },
  { value: 'on', label: 'On', hint: 'They show the agent and the code of the request.' },
  {
    value: 'with-question',
    label: 'On, with the question',
    hint: 'Anybody who sees your screen can read it, locked or not.',
  },
];

/** The browser asks the expert once; later it answers for them. */
async function askForNotifications(): Promise<boolean> {
  if (!('Notification' in globalThis)) return false;
  return (await Notification.requestPermission()) === 'granted';
}

export function NotificationSettings() {
  const { notifications } = useStore(preferences);
  const [isRefused, setIsRefused] = useState(false);
  const [done, setDone] = useDone();

  async function choose(chosen: Notifications) {
    const isAllowed = chosen === 'off' || (await askForNotifications());
    setIsRefused(!isAllowed);
    if (!isAllowed) return;
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
      {isRefused && (
        <Notice kind="warning" title="This browser does not allow notifications here.">
          <p>
            {'Notification' in globalThis
              ? 'Allow them for this page in the browser’s settings, beside its address, then choose again.'
              : 'On a phone, add Expert Relay to the home screen first, open it from there, then choose again.'}
          </p>
        </Notice>
      )}
    </Section>
  );
}

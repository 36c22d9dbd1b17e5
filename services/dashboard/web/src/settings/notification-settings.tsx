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

const refusals = {
  denied: {
    what: 'This browser does not allow notifications here.',
    next: 'Allow them for this page in the browser’s settings, beside its address, then choose again.',
  },
  unsupported: {
    what: 'This browser does not offer notifications here.',
    next: 'Open this page over https. On a phone, also add Expert Relay to the home screen, and open it from there. Then choose again.',
  },
  failed: {
    what: 'This browser could not prepare notifications, so they are not switched on.',
    next: 'Reload this page, then choose again. If this happens again, allow this page to store data in the browser’s settings.',
  },
};

export function NotificationSettings() {
  const { notifications } = useStore(preferences);
  const [refusal, setRefusal] = useState<keyof typeof refusals>();
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
        <Notice kind="warning" title={refusals[refusal].what}>
          <p>{refusals[refusal].next}</p>
        </Notice>
      )}
    </Section>
  );
}

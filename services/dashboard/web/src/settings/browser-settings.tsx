import { changePreferences, type Preferences, preferences } from '../storage/preferences.ts';
import { type Choice, Choices } from '../ui/choices.tsx';
import { useStore } from '../ui/store.ts';
import { Switch } from '../ui/switch.tsx';
import { useDone } from '../ui/use-done.ts';
import { Section } from './section.tsx';

const themes: readonly Choice<Preferences['theme']>[] = [
  { value: 'system', label: 'Same as the system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

/** Settings of this browser. */
export function BrowserSettings() {
  const { theme, shortcuts } = useStore(preferences);
  const [savedTheme, setSavedTheme] = useDone();
  const [savedShortcuts, setSavedShortcuts] = useDone();
  return (
    <>
      <Section title="Appearance" done={savedTheme}>
        <Choices
          legend="Appearance"
          isLegendHidden
          isInLine
          choices={themes}
          value={theme}
          onChange={(chosen) => {
            changePreferences({ theme: chosen });
            setSavedTheme('Saved');
          }}
        />
      </Section>
      <Section title="Keyboard" done={savedShortcuts}>
        <Switch
          label="Single-key shortcuts"
          hint="Such as j and k for the next and the previous request. Press ? to see all. Switch them off if you use voice control, or press keys by mistake."
          isOn={shortcuts}
          onChange={(isOn) => {
            changePreferences({ shortcuts: isOn });
            setSavedShortcuts('Saved');
          }}
        />
      </Section>
    </>
  );
}

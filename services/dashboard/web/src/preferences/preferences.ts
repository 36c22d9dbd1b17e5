import { createStore, type Store } from '../ui/store.ts';

/** The expert's choices for this browser. */
export interface Preferences {
  readonly theme: 'system' | 'light' | 'dark';
  /** Keys of one letter, such as j and k. */
  readonly shortcuts: boolean;
  readonly notifications: 'off' | 'on' | 'with-question';
}

const name = 'expert-relay:preferences';
const defaults: Preferences = { theme: 'system', shortcuts: true, notifications: 'off' };

export const preferences: Store<Preferences> = createStore(read());

export function changePreferences(change: Partial<Preferences>): void {
  preferences.set({ ...preferences.get(), ...change });
  try {
    localStorage.setItem(name, JSON.stringify(preferences.get()));
  } catch {
    // A browser without storage: the choice lasts until the page is closed.
  }
}

/** Shows the theme, now and whenever it changes, in this tab or another one. */
export function applyPreferences(): void {
  const show = () => {
    const { theme } = preferences.get();
    if (theme === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  };
  preferences.subscribe(show);
  addEventListener('storage', ({ key }) => {
    if (key === name) preferences.set(read());
  });
  show();
}

function read(): Preferences {
  try {
    return { ...defaults, ...JSON.parse(localStorage.getItem(name) ?? '{}') };
  } catch {
    return defaults;
  }
}

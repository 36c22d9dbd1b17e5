import { createStore, type Store } from '../ui/store.ts';

/** The expert's choices for this browser. */
export interface Preferences {
  readonly theme: 'system' | 'light' | 'dark';
  /** Whether single keys such as j and k are shortcuts. */
  readonly shortcuts: boolean;
  /** How requests that wait are ordered. */
  readonly order: 'newest' | 'time-left';
  /** `push`: the relay notifies this browser. The others are about notifications by an open page. */
  readonly notifications: 'off' | 'on' | 'with-question' | 'push';
  /** Which subscription of this browser was registered at the relay: the SHA-256 of its address. */
  readonly pushDigest?: string | undefined;
}

const name = 'expert-relay:preferences';
const defaults: Preferences = { theme: 'system', shortcuts: true, order: 'newest', notifications: 'off' };

export const preferences: Store<Preferences> = createStore(read());

export function changePreferences(change: Partial<Preferences>): void {
  preferences.set({ ...preferences.get(), ...change });
  try {
    localStorage.setItem(name, JSON.stringify(preferences.get()));
  } catch {
    // In a browser without storage the choice is kept until the page is closed.
  }
}

/** Applies the theme now, and whenever it is changed in this tab or another one. */
export function applyPreferences(): void {
  const applyTheme = () => {
    const { theme } = preferences.get();
    if (theme === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  };
  preferences.subscribe(applyTheme);
  addEventListener('storage', ({ key }) => {
    if (key === name) preferences.set(read());
  });
  applyTheme();
}

function read(): Preferences {
  try {
    return { ...defaults, ...JSON.parse(localStorage.getItem(name) ?? '{}') };
  } catch {
    return defaults;
  }
}

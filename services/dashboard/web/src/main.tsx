import './styles/base.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App, createQueryClient } from './app.tsx';
import { firstListing, readList } from './inbox/inbox.ts';
import { followNotificationClicks, startWorker } from './notifications/notifications.ts';
import { probeWhileUnreachable } from './relay/call.ts';
import { followNetwork } from './relay/connection.ts';
import { createAppContext } from './session/app-context.tsx';
import { followUser, readMe } from './session/me.ts';
import { StartFailure } from './shell/start-failure.tsx';
import { applyPreferences } from './storage/preferences.ts';

// For check-browser.js.
Object.assign(globalThis, { hasStarted: true });
applyPreferences();

const root = createRoot(document.getElementById('root') as HTMLElement);
const start = async () => {
  try {
    // Both are read at once. Pages other than the inbox do not need the list, and a list of one agent or tag is another one.
    const firstRead =
      /^\/dashboard(\/requests|\/?$)/.test(location.pathname) && !/[?&](keyId|tag)=/.test(location.search)
        ? readList(firstListing)
        : undefined;
    firstRead?.catch(() => {});
    const me = await readMe();
    followUser(me.userId);
    const context = await createAppContext(me, async (storage) => {
      const { KeysOfOthersQuestion } = await import('./shell/keys-of-others.tsx');
      return new Promise((decide) =>
        root.render(<KeysOfOthersQuestion name={me.name} storage={storage} onDecide={decide} />),
      );
    });
    root.render(
      <StrictMode>
        <App context={context} queries={createQueryClient()} firstRead={firstRead} />
      </StrictMode>,
    );
  } catch (error) {
    root.render(<StartFailure error={error} onRetry={() => void start()} />);
  }
};
if (isSecureContext) {
  followNetwork();
  followNotificationClicks();
  probeWhileUnreachable();
  void start();
  // It keeps the page for when the relay cannot be reached.
  if ('serviceWorker' in navigator) addEventListener('load', () => void startWorker().catch(() => {}));
} else {
  // Not awaited: what it imports waits for the end of this module.
  void import('./shell/insecure-page.tsx').then(({ InsecurePage }) => root.render(<InsecurePage />));
}

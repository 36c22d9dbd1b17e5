import { type ReactNode, Suspense, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useAppContext } from '../session/app-context.tsx';
import { signOut } from '../session/sign-out.ts';
import { InboxIcon, KeysIcon, SettingsIcon, SignOutIcon } from '../ui/icons.tsx';
import { lazyPage } from '../ui/lazy-page.tsx';
import { useStore } from '../ui/store.ts';
import { useAction } from '../ui/use-action.ts';
import { ConnectionBar } from './connection-bar.tsx';
import { DocumentTitle, waitingCount } from './page.tsx';
import { routes } from './routes.ts';
import styles from './shell.module.css';
import { useShortcuts } from './shortcuts.ts';
// Not on demand: an expert who is offline may press the button.
import { SignOutQuestion } from './sign-out-question.tsx';

const VaultNotice = lazyPage(async () => (await import('../expert-key/vault-notice.tsx')).VaultNotice);
const ShortcutHelp = lazyPage(async () => (await import('./shortcut-help.tsx')).ShortcutHelp);
const CodeReminder = lazyPage(async () => (await import('../expert-key/code-reminder.tsx')).CodeReminder);

const pages = [
  { name: 'Inbox', href: routes.inbox, Icon: InboxIcon },
  { name: 'Agent keys', href: routes.keys, Icon: KeysIcon },
  { name: 'Settings', href: routes.settings, Icon: SettingsIcon },
];

interface ShellProps {
  /** A line above every page. */
  readonly bar: ReactNode;
  /** Names the requests whose texts a sign-out removes. */
  readonly unsentRequests: ReactNode;
  readonly children: ReactNode;
}

/** What surrounds every page: navigation, state of the connection, shortcuts. */
export function Shell({ bar, unsentRequests, children }: ShellProps) {
  const context = useAppContext();
  const [location, navigate] = useLocation();
  const waiting = useStore(waitingCount);
  const hasVaultChanged = useStore(context.expertKey.change) !== undefined;
  const isCodeDue = useStore(context.expertKey.isCodeDue);
  const [isHelpOpen, setIsHelpOpen] = useState(false);
  const [isLeaving, setIsLeaving] = useState(false);
  const signingOut = useAction(() => signOut(context));
  useShortcuts({
    'g i': () => navigate(routes.inbox),
    'g k': () => navigate(routes.keys),
    'g s': () => navigate(routes.settings),
    '?': () => setIsHelpOpen(true),
  });

  return (
    <div className={styles.shell} data-in-conversation={/^\/requests\/./.test(location) || undefined}>
      <DocumentTitle />
      <a className={styles.skip} href="#main">
        Skip to the page
      </a>
      <nav className={styles.navigation} aria-label="Pages">
        <ul className={styles.pages}>
          {pages.map(({ name, href, Icon }) => (
            <li key={name}>
              <Link
                href={href}
                className={styles.link}
                title={name}
                aria-current={location.startsWith(href) ? 'page' : undefined}
              >
                <Icon />
                <span className={styles.name}>{name}</span>
                {href === routes.inbox && waiting !== 0 && (
                  <span className={styles.count}>
                    {waiting}
                    <span className="visually-hidden"> waiting for you</span>
                  </span>
                )}
              </Link>
            </li>
          ))}
        </ul>
        <div className={styles.account}>
          <span className={styles.user} title={context.me.email ?? context.me.name}>
            {context.me.name}
          </span>
          <button
            type="button"
            className={styles.link}
            title="Sign out"
            aria-expanded={isLeaving}
            onClick={() => setIsLeaving(!isLeaving)}
          >
            <SignOutIcon />
            <span className={styles.name}>Sign out</span>
          </button>
        </div>
      </nav>
      <div className={styles.content}>
        <ConnectionBar isStillSignedIn={signingOut.error !== undefined} />
        {bar}
        {isLeaving && (
          <div className={styles.question}>
            <SignOutQuestion signingOut={signingOut} onCancel={() => setIsLeaving(false)}>
              {unsentRequests}
            </SignOutQuestion>
          </div>
        )}
        {hasVaultChanged && (
          <Suspense>
            <VaultNotice />
          </Suspense>
        )}
        {isCodeDue && (
          <Suspense>
            <CodeReminder />
          </Suspense>
        )}
        <main id="main" className={styles.main}>
          {children}
        </main>
      </div>
      <Suspense>{isHelpOpen && <ShortcutHelp onClose={() => setIsHelpOpen(false)} />}</Suspense>
    </div>
  );
}

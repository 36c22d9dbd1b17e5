import { Page } from '../app/page.tsx';
import { useServices } from '../services/services.tsx';
import { signOut } from '../services/sign-out.ts';
import { ActionError } from '../session/action-error.tsx';
import { Button } from '../ui/button.tsx';
import { useAction } from '../ui/use-action.ts';
import { Accounts } from './accounts.tsx';
import { BrowserSettings } from './browser-settings.tsx';
import { ExpertKeySettings } from './expert-key-settings.tsx';
import { NotificationSettings } from './notification-settings.tsx';
import { Section } from './section.tsx';
import { Sessions } from './sessions.tsx';

export function SettingsPage() {
  const services = useServices();
  const signingOut = useAction(() => signOut(services));
  return (
    <Page title="Settings">
      <ExpertKeySettings />
      <NotificationSettings />
      <BrowserSettings />
      <Accounts />
      <Sessions />
      <Section
        title="Sign out"
        about="This removes your key, your drafts and everything else of yours from this browser. To answer encrypted requests here again, you need your recovery code."
      >
        <div>
          <Button isBusy={signingOut.isBusy} onClick={() => void signingOut.run()}>
            {signingOut.isBusy ? 'Signing out…' : 'Sign out'}
          </Button>
        </div>
        <ActionError error={signingOut.error} />
      </Section>
    </Page>
  );
}

import { useState } from 'react';
import { UnsentRequests } from '../inbox/unsent-requests.tsx';
import { ActionError } from '../relay/action-error.tsx';
import { useAppContext, useExpertKey } from '../session/app-context.tsx';
import { signOut } from '../session/sign-out.ts';
import { Page } from '../shell/page.tsx';
import { SignOutQuestion } from '../shell/sign-out-question.tsx';
import { Button } from '../ui/button.tsx';
import { useAction } from '../ui/use-action.ts';
import { Accounts } from './accounts.tsx';
import { BrowserSettings } from './browser-settings.tsx';
import { ExpertKeySettings } from './expert-key-settings.tsx';
import { Help } from './help.tsx';
import { NotificationSettings } from './notification-settings.tsx';
import { Section } from './section.tsx';
import { Sessions } from './sessions.tsx';
import { WebhookSettings } from './webhook-settings.tsx';

export function SettingsPage() {
  const context = useAppContext();
  const key = useExpertKey();
  const hasKey = key.kind === 'ready' || key.kind === 'loading';
  const [isLeaving, setIsLeaving] = useState(false);
  const signingOut = useAction(() => signOut(context));
  return (
    <Page title="Settings">
      <ExpertKeySettings />
      <NotificationSettings />
      <WebhookSettings />
      <BrowserSettings />
      <Accounts />
      <Sessions />
      <Help />
      <Section
        title="Sign out"
        about={`This removes everything of yours from this browser: ${hasKey ? 'your key and ' : ''}your drafts.`}
      >
        {isLeaving ? (
          <SignOutQuestion signingOut={signingOut} onCancel={() => setIsLeaving(false)}>
            <UnsentRequests />
          </SignOutQuestion>
        ) : (
          <div>
            <Button onClick={() => setIsLeaving(true)}>Sign out</Button>
          </div>
        )}
        <ActionError error={signingOut.error} />
      </Section>
    </Page>
  );
}

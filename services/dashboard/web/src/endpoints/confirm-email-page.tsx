import { useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { ActionError } from '../relay/action-error.tsx';
import { CallError } from '../relay/call.ts';
import { Page } from '../shell/page.tsx';
import { routes } from '../shell/routes.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { useAction } from '../ui/use-action.ts';
import { confirmEmail, sendConfirmation } from './endpoint-calls.ts';

/** The link in a confirmation email leads here. Programs that open the links of emails press no button. */
export function ConfirmEmailPage() {
  const [parameters] = useSearchParams();
  const channelId = parameters.get('channel') ?? '';
  const token = parameters.get('token') ?? '';
  const [address, setAddress] = useState<string>();
  const [isSentAgain, setIsSentAgain] = useState(false);
  const confirming = useAction(async () => setAddress((await confirmEmail(channelId, token)).address));
  const sending = useAction(async () => {
    await sendConfirmation(channelId);
    setIsSentAgain(true);
  });
  const { error } = confirming;
  const isOld = error instanceof CallError && error.code === 'confirmation_invalid';
  const isUnknown = error instanceof CallError && error.status === 404;
  const toSettings = <Link href={routes.settings}>Go to the settings</Link>;

  if (address !== undefined) {
    return (
      <Page title="The address is confirmed">
        <p role="status">
          Requests that wait for you are now sent to <bdi>{address}</bdi>.
        </p>
        <p>{toSettings}</p>
      </Page>
    );
  }
  return (
    <Page title="Confirm your email address">
      {isUnknown ? (
        <Notice kind="warning" title="There is no such address in your settings.">
          <p>It was removed, or you are signed in with another account. {toSettings}</p>
        </Notice>
      ) : isOld ? (
        <Notice
          kind="warning"
          title="This link is old, or it was used."
          actions={
            !isSentAgain && (
              <Button isBusy={sending.isBusy} onClick={() => void sending.run()}>
                {sending.isBusy ? 'Sending…' : 'Send another'}
              </Button>
            )
          }
        >
          <p role="status">{isSentAgain && 'We sent you another email. Open the link in it.'}</p>
          <ActionError error={sending.error} />
        </Notice>
      ) : (
        <>
          <p>From then on, requests that wait for you are sent to this address.</p>
          <div>
            <Button look="main" isBusy={confirming.isBusy} onClick={() => void confirming.run()}>
              {confirming.isBusy ? 'Confirming…' : 'Confirm the address'}
            </Button>
          </div>
          <ActionError error={error} />
        </>
      )}
    </Page>
  );
}

import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ActionError } from '../relay/action-error.tsx';
import { changePreferences, preferences } from '../storage/preferences.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import rows from '../ui/rows.module.css';
import { useStore } from '../ui/store.ts';
import { Switch } from '../ui/switch.tsx';
import { useAction } from '../ui/use-action.ts';
import { keepEndpoint } from './endpoint-calls.ts';
import { hasPush } from './push.ts';
import { findObstacle, type Outcome, switchOn } from './switch-on.ts';

type Problem = Exclude<Outcome['kind'], 'push' | 'open-page'> | 'home-screen';

const problems: Readonly<Record<Problem, { readonly what: string; readonly next: string }>> = {
  'home-screen': {
    what: 'On iPhone and iPad, notifications need the home screen.',
    next: 'Press Share, choose “Add to Home Screen”, open Expert Relay from there, and switch them on.',
  },
  unsupported: {
    what: 'This browser does not offer notifications here.',
    next: 'Open this page in a current Chrome, Edge, Firefox or Safari.',
  },
  denied: {
    what: 'This browser does not allow notifications here.',
    next: 'Allow them for this page in the browser’s settings, beside its address, then switch them on.',
  },
  failed: {
    what: 'This browser could not prepare notifications, so they are not switched on.',
    next: 'Reload this page, then try again. If this happens again, allow this page to store data in the browser’s settings.',
  },
  'no-push-service': {
    what: 'The push service of this browser cannot be reached.',
    next: 'Notifications are on, and appear while Expert Relay is open in this browser. Try again later for the time when it is closed.',
  },
};

interface ThisBrowserProps {
  /** Null or undefined: the relay sends no push messages. */
  readonly pushKey: string | null | undefined;
  readonly onDone: (text: string) => void;
}

/** Notifications in this browser while the relay does not push to it: off, or shown by an open page. */
export function ThisBrowser({ pushKey, onDone }: ThisBrowserProps) {
  const { notifications } = useStore(preferences);
  const queries = useQueryClient();
  const [problem, setProblem] = useState<Problem | undefined>(findObstacle);
  const isOn = notifications === 'on' || notifications === 'with-question';
  const canPush = Boolean(pushKey) && hasPush();
  const isPossible = problem !== 'home-screen' && problem !== 'unsupported';

  const switching = useAction(async () => {
    const outcome = await switchOn(async () => pushKey);
    setProblem(outcome.kind === 'push' || outcome.kind === 'open-page' ? undefined : outcome.kind);
    if (outcome.kind === 'push') keepEndpoint(queries, outcome.channel);
    if (outcome.kind === 'push' || outcome.kind === 'open-page') onDone('Notifications are on.');
  });

  return (
    <li className={rows.row}>
      <div className={rows.line}>
        <div className={rows.facts}>
          <span className={rows.name}>This browser</span>
          <span className={rows.detail}>
            {isOn ? <span className={rows.ok}>On</span> : <span>Off</span>}
            {isOn && <span>while Expert Relay is open</span>}
          </span>
        </div>
        <div className={rows.actions}>
          {isPossible && (!isOn || canPush) && (
            <Button
              look={isOn ? 'plain' : 'main'}
              isBusy={switching.isBusy}
              onClick={() => void switching.run()}
            >
              {switching.isBusy ? 'Switching on…' : isOn ? 'Notify me when it is closed, too' : 'Switch on'}
            </Button>
          )}
          {isOn && (
            <Button
              onClick={() => {
                changePreferences({ notifications: 'off' });
                setProblem(undefined);
                onDone('Notifications are off.');
              }}
            >
              Switch off
            </Button>
          )}
        </div>
      </div>
      {isOn && (
        <Switch
          label="Show the question"
          hint="Anybody who sees the screen can read it, even while it is locked. Without it, the agent and the code are shown."
          isOn={notifications === 'with-question'}
          onChange={(shows) => {
            changePreferences({ notifications: shows ? 'with-question' : 'on' });
            onDone('Saved');
          }}
        />
      )}
      {isPossible && !canPush && (
        <p className={rows.quiet}>
          {pushKey
            ? 'This browser receives no push messages, so Expert Relay must stay open in it.'
            : 'This relay sends no push messages, so Expert Relay must stay open in this browser.'}
        </p>
      )}
      {problem && (
        <Notice kind="warning" title={problems[problem].what}>
          <p>{problems[problem].next}</p>
        </Notice>
      )}
      <ActionError error={switching.error} />
    </li>
  );
}

import { useState } from 'react';
import { Link } from 'wouter';
import type { NewKey } from '../generated/api.ts';
import { ActionError } from '../relay/action-error.tsx';
import { call } from '../relay/call.ts';
import { Page } from '../shell/page.tsx';
import { routes } from '../shell/routes.ts';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { useAction } from '../ui/use-action.ts';
import styles from './first-request.module.css';

/** The command shows this until a key is made. */
const placeholder = 'hs_...';

/** Shown before the first request: how an agent makes one. The request replaces it when it arrives. */
export function FirstRequest() {
  const [key, setKey] = useState<string>();
  const making = useAction(async () => {
    const { body } = await call<NewKey>('/api/keys', {
      method: 'POST',
      body: { name: 'first agent', kind: 'consumer' },
    });
    setKey(body.key);
  });
  const command = commandFor(key ?? placeholder);
  return (
    <Page title="No requests yet">
      <p>
        Agents that need your help ask you here. If someone else sets them up, there is nothing to do: their
        requests appear at once. To see how it goes, send yourself one.
      </p>
      <ol className={styles.steps}>
        <li>
          <h2>Make a key for an agent</h2>
          <p>An agent needs a key to ask you. Give each agent a key of its own.</p>
          {key ? (
            <p role="status" className={styles.done}>
              The key is in the command below. It is shown only now: copy it, or make another one in Agent
              keys later.
            </p>
          ) : (
            <>
              <Button look="main" isBusy={making.isBusy} onClick={() => void making.run()}>
                Make a key for an agent
              </Button>
              <ActionError error={making.error} />
            </>
          )}
        </li>
        <li>
          <h2>Ask, as the agent would</h2>
          <p>
            {key ? (
              'Run this in a terminal. curl cannot encrypt: the relay can read this question and your answer.'
            ) : (
              <>
                Run this in a terminal, with a key in place of <code>{placeholder}</code>
              </>
            )}
          </p>
          <CopyButton text={command} look="plain" label="Copy the command" />
          <pre className={styles.command}>
            <code>{command}</code>
          </pre>
          <p>
            Agents with an SDK, the command line or MCP ask with encryption. A new key in{' '}
            <Link href={routes.keys}>Agent keys</Link> comes with what each needs.
          </p>
        </li>
        <li>
          <h2>Answer</h2>
          <p>The request opens here as soon as it arrives.</p>
        </li>
      </ol>
    </Page>
  );
}

/** The command asks without encryption, since curl cannot encrypt. */
const commandFor = (key: string): string => `curl ${location.origin}/api/v1/help \\
  -H 'content-type: application/json' \\
  -d '{
    "apiKey": "${key}",
    "messages": [{"role": "user", "content": "The deploy waits for a lock."}],
    "question": "May I remove the lock file?",
    "plaintext": "The deploy waits for a lock. May I remove the lock file?"
  }'`;

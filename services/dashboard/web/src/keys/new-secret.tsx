import { Tabs } from 'radix-ui';
import { useExpertKey } from '../services/services.tsx';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { Panel } from '../ui/panel.tsx';
import type { KeyKind } from './key-calls.ts';
import styles from './new-secret.module.css';
import { snippetsFor } from './snippets.ts';

interface NewSecretProps {
  readonly title: string;
  readonly kind: KeyKind;
  readonly secret: string;
  readonly note?: string;
  readonly onClose: () => void;
}

/** Shows a new secret once, with snippets that use it. */
export function NewSecret({ title, kind, secret, note, onClose }: NewSecretProps) {
  const expertKey = useExpertKey();
  const snippets = snippetsFor({
    kind,
    secret,
    url: location.origin,
    hasExpertKey: expertKey.kind !== 'missing',
  });
  return (
    <Panel title={title}>
      <p>
        Copy it now: it is shown only this once.{' '}
        {kind === 'consumer'
          ? 'Anyone who has it can ask you questions.'
          : 'Anyone who has it can read your requests and answer them in your name. Only agents that know your fingerprint notice.'}{' '}
        {note}
      </p>
      <div className={styles.secret}>
        <code className={styles.text}>{secret}</code>
        <CopyButton look="plain" text={secret} aria-label="Copy the key" />
      </div>
      <Tabs.Root className={styles.tabs} defaultValue={snippets[0]?.name}>
        <Tabs.List className={styles.names} aria-label="Ways to use it">
          {snippets.map(({ name }) => (
            <Tabs.Trigger key={name} value={name} className={styles.tab}>
              {name}
            </Tabs.Trigger>
          ))}
        </Tabs.List>
        {snippets.map(({ name, about, blocks }) => (
          <Tabs.Content key={name} value={name} className={styles.content}>
            {about && <p className={styles.about}>{about}</p>}
            {blocks.map(({ title: what, code }) => (
              <figure key={what} className={styles.block}>
                <figcaption className={styles.caption}>
                  <span>{what}</span>
                  <CopyButton text={code} aria-label={`Copy: ${what}`} />
                </figcaption>
                {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled with the keyboard. */}
                <pre className={styles.code} tabIndex={0}>
                  <code>{code}</code>
                </pre>
              </figure>
            ))}
          </Tabs.Content>
        ))}
      </Tabs.Root>
      <div>
        <Button look="main" onClick={onClose}>
          I have copied it
        </Button>
      </div>
    </Panel>
  );
}

import { useExpertKey } from '../session/app-context.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { NewSecret } from '../ui/new-secret.tsx';
import { Tabs } from '../ui/tabs.tsx';
import type { KeyKind } from './key-calls.ts';
import styles from './snippets.module.css';
import { type Snippet, snippetsFor } from './snippets.ts';

interface NewKeySecretProps {
  readonly title: string;
  readonly kind: KeyKind;
  readonly secret: string;
  readonly note?: string;
  readonly onClose: () => void;
}

/** Shows the new secret of a key once, with snippets that use it. */
export function NewKeySecret({ title, kind, secret, note, onClose }: NewKeySecretProps) {
  const expertKey = useExpertKey();
  const snippets = snippetsFor({
    kind,
    secret,
    url: location.origin,
    hasExpertKey: expertKey.kind !== 'missing',
  });
  return (
    <NewSecret
      title={title}
      secret={secret}
      copyLabel="Copy the key"
      about={
        <>
          {kind === 'consumer'
            ? 'Anyone who has it can ask you questions.'
            : 'Anyone who has it can read your requests and answer them in your name. Only agents that know your fingerprint notice.'}{' '}
          {note}
        </>
      }
      onClose={onClose}
    >
      <Tabs
        label="Ways to use it"
        classNames={{ root: styles.tabs, names: styles.names, tab: styles.tab, content: styles.content }}
        tabs={snippets.map((snippet) => ({ name: snippet.name, content: <SnippetBlocks {...snippet} /> }))}
      />
    </NewSecret>
  );
}

function SnippetBlocks({ about, blocks }: Snippet) {
  return (
    <>
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
    </>
  );
}

import { useEffect, useState } from 'react';
import { createPortal } from 'react-dom';
import { useAppContext } from '../session/app-context.tsx';
import { Button } from '../ui/button.tsx';
import { locale } from '../ui/locale.ts';
import type { NewKey } from '../vault/expert-key.ts';
import styles from './recovery-sheet.module.css';

const date = new Intl.DateTimeFormat(locale, { dateStyle: 'long' });

/** Saves the code as a text file. The file is made in the page, so the code is not sent anywhere. */
export function DownloadCode({ newKey }: { newKey: NewKey }) {
  const { me } = useAppContext();
  return (
    <Button
      onClick={() => {
        const text = describe(newKey, me.name)
          .map(({ name, value }) => (name ? `${name}: ${value}` : value))
          .join('\n\n');
        const url = URL.createObjectURL(new Blob([`${text}\n`], { type: 'text/plain' }));
        const link = document.createElement('a');
        link.href = url;
        link.download = 'expert-relay-recovery-code.txt';
        link.click();
        // Browsers may start to read the URL only after this task.
        setTimeout(() => URL.revokeObjectURL(url), 60_000);
      }}
    >
      Download
    </Button>
  );
}

/** Prints a sheet with the code and its purpose, and nothing else of the page. */
export function PrintCode({ newKey }: { newKey: NewKey }) {
  const { me } = useAppContext();
  const [isPrinting, setIsPrinting] = useState(false);
  useEffect(() => {
    if (!isPrinting) return;
    print();
    setIsPrinting(false);
  }, [isPrinting]);
  return (
    <>
      <Button onClick={() => setIsPrinting(true)}>Print</Button>
      {/* Outside the app, which the style sheet hides on paper. */}
      {createPortal(
        <div className={styles.sheet} aria-hidden="true">
          {describe(newKey, me.name).map(({ name, value, isCode }) => (
            <p key={value} className={isCode ? styles.code : undefined}>
              {name && <strong>{name}: </strong>}
              {value}
            </p>
          ))}
        </div>,
        document.body,
      )}
    </>
  );
}

interface Line {
  readonly name?: string;
  readonly value: string;
  readonly isCode?: boolean;
}

const describe = ({ recoveryCode, fingerprint }: NewKey, user: string): readonly Line[] => [
  { value: 'Expert Relay: recovery code' },
  { value: recoveryCode, isCode: true },
  {
    value:
      'It brings your key to another browser or computer, so that you can read and answer encrypted requests there: open the page below, or run `relay keys restore`. Keep it where only you can read it. It cannot be made again.',
  },
  { name: 'Page', value: `${location.origin}/dashboard/settings` },
  { name: 'Account', value: user },
  { name: 'Fingerprint of the key', value: fingerprint },
  { name: 'Made', value: date.format(new Date()) },
];

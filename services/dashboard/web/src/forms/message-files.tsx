import type { ReceivedFile } from '@expert-relay/sdk';
import { isShowable, readPicture, safeName, showHidden } from '@expert-relay/sdk/safe';
import { useEffect, useMemo, useState } from 'react';
import { AgentText, DecisionContext } from '../text/agent-text.tsx';
import { Button } from '../ui/button.tsx';
import { Written } from '../ui/written.tsx';
import { fileSize } from './file-size.ts';
import styles from './files.module.css';

/** The files of a message. */
export function MessageFiles({ files }: { files: readonly ReceivedFile[] }) {
  return (
    <ul className={styles.files}>
      {files.map((file, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they never change.
        <MessageFile key={index} file={file} />
      ))}
    </ul>
  );
}

function MessageFile({ file }: { file: ReceivedFile }) {
  const { name, bytes } = file;
  const [isOpen, setIsOpen] = useState(false);
  const isPicture = isShowable(file);
  const text = useMemo(() => (isPicture ? undefined : textOf(bytes)), [isPicture, bytes]);
  return (
    <li className={styles.file}>
      {isPicture && <ShownPicture file={file} />}
      <div className={styles.about}>
        <bdi className={styles.name}>
          <Written text={showHidden(name)} />
        </bdi>
        <span className={styles.size}>{fileSize(bytes.length)}</span>
        {text !== undefined && (
          <Button
            look="quiet"
            aria-label={`${isOpen ? 'Hide' : 'Show'} ${showHidden(name)}`}
            aria-expanded={isOpen}
            onClick={() => setIsOpen(!isOpen)}
          >
            {isOpen ? 'Hide' : 'Show'}
          </Button>
        )}
        <Button look="quiet" aria-label={`Save ${showHidden(name)}`} onClick={() => save(file)}>
          Save
        </Button>
      </div>
      {isOpen && text !== undefined && (
        <section className={styles.shown} aria-label={showHidden(name)}>
          <DecisionContext value={true}>
            <AgentText text={text} />
          </DecisionContext>
        </section>
      )}
    </li>
  );
}

function ShownPicture({ file: { name, mediaType: type, bytes } }: { file: ReceivedFile }) {
  const { width, height } = readPicture(bytes) ?? {};
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([bytes], { type }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [bytes, type]);
  return <img className={styles.picture} src={url} alt={showHidden(name)} width={width} height={height} />;
}

/** What a file says, if it is a text: as it was written, like what is decided about. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return text === '' || text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Downloads a file. Without its type, no browser opens it as a page. */
function save({ name, bytes }: ReceivedFile): void {
  const url = URL.createObjectURL(new Blob([bytes], { type: 'application/octet-stream' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = safeName(name);
  link.click();
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

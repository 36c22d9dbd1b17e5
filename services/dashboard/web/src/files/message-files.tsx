import type { ReceivedFile } from '@expert-relay/sdk';
import { showHidden } from '@expert-relay/sdk/text';
import { useEffect, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { fileSize } from './file-size.ts';
import styles from './files.module.css';
import { type Picture, readPicture } from './read-picture.ts';
import { safeName } from './safe-name.ts';

/** A picture with more pixels takes too much memory to show. */
const maxPixels = 16_000_000;

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
  const { name, mediaType, bytes } = file;
  const picture = readPicture(bytes);
  const isShown =
    picture?.type === mediaType && !picture.isAnimated && picture.width * picture.height <= maxPixels;
  return (
    <li className={styles.file}>
      {isShown && <ShownPicture file={file} picture={picture} />}
      <div className={styles.about}>
        <bdi className={styles.name}>{showHidden(name)}</bdi>
        <span className={styles.size}>{fileSize(bytes.length)}</span>
        <Button look="quiet" aria-label={`Save ${showHidden(name)}`} onClick={() => save(file)}>
          Save
        </Button>
      </div>
    </li>
  );
}

function ShownPicture({ file: { name, bytes }, picture }: { file: ReceivedFile; picture: Picture }) {
  const { type, width, height } = picture;
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([bytes], { type }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [bytes, type]);
  return <img className={styles.picture} src={url} alt={showHidden(name)} width={width} height={height} />;
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

import { showHidden } from '@expert-relay/sdk/safe';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { useStore } from '../ui/store.ts';
import { ToolButton } from '../ui/tool-button.tsx';
import { AttachIcon, CameraIcon } from '../ui/tool-icons.tsx';
import type { AttachedFiles } from './attached-files.ts';
import { fileSize } from './file-size.ts';
import styles from './files.module.css';
import { prepareFile, warningOf } from './prepare-file.ts';

const maxFiles = 8;
/** All files of one message together. */
const maxBytes = 700_000;

const maxNamed = 10;

function describeLeftOut(names: readonly string[]): string {
  const more = names.length - maxNamed;
  const named = names.slice(0, maxNamed).join(', ') + (more > 0 ? ` and ${more} more` : '');
  return `A message carries at most ${maxFiles} files. Not attached: ${named}.`;
}

/** The files of the next answer: chosen, pasted, dropped, or taken with the camera. */
export function Attachments({ files }: { files: AttachedFiles }) {
  const attached = useStore(files);
  const isKept = useStore(files.isKept);
  const [notices, setNotices] = useState<readonly string[]>([]);
  const [isBusy, setIsBusy] = useState(false);
  const queue = useRef(Promise.resolve());
  const chooser = useRef<HTMLInputElement>(null);
  const camera = useRef<HTMLInputElement>(null);

  useEffect(() => {
    async function add(given: readonly File[]): Promise<void> {
      setIsBusy(true);
      const said: string[] = [];
      const leftOut: string[] = [];
      for (const file of given) {
        const now = files.get();
        if (now.length >= maxFiles) {
          leftOut.push(showHidden(file.name).slice(0, 80));
          continue;
        }
        const room = maxBytes - now.reduce((sum, { bytes }) => sum + bytes.length, 0);
        const { file: prepared, notice } = await prepareFile(file, room);
        if (prepared) files.set([...files.get(), prepared]);
        if (notice) said.push(notice);
      }
      if (leftOut.length > 0) said.push(describeLeftOut(leftOut));
      setNotices(said);
      setIsBusy(false);
    }
    // One after the other, since each takes of the room that is left.
    const take = (given: FileList | undefined) => {
      const list = [...(given ?? [])];
      if (list.length > 0) queue.current = queue.current.then(() => add(list));
      return list.length > 0;
    };
    const onPaste = (event: ClipboardEvent) => {
      // Programs for tables copy a picture of a text besides the text.
      if (event.clipboardData?.types.includes('text/plain')) return;
      if (take(event.clipboardData?.files)) event.preventDefault();
    };
    const onDragOver = (event: DragEvent) => {
      if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
    };
    const onDrop = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      take(event.dataTransfer.files);
    };
    const onChoose = ({ target }: Event) => {
      if (!(target instanceof HTMLInputElement)) return;
      take(target.files ?? undefined);
      // The same file can be chosen again.
      target.value = '';
    };
    const left = new AbortController();
    const { signal } = left;
    for (const input of [chooser, camera]) input.current?.addEventListener('change', onChoose, { signal });
    document.addEventListener('paste', onPaste, { signal });
    document.addEventListener('dragover', onDragOver, { signal });
    document.addEventListener('drop', onDrop, { signal });
    return () => left.abort();
  }, [files]);

  return (
    <div className={styles.attachments}>
      {attached.length > 0 && (
        <ul className={styles.attached} aria-label="Attached files">
          {attached.map((file) => (
            <li key={attached.indexOf(file)} className={styles.about}>
              <bdi className={styles.name}>{showHidden(file.name)}</bdi>
              <span className={styles.size}>{fileSize(file.bytes.length)}</span>
              <Button
                look="quiet"
                aria-label={`Remove ${showHidden(file.name)}`}
                onClick={() => files.set(files.get().filter((one) => one !== file))}
              >
                Remove
              </Button>
            </li>
          ))}
        </ul>
      )}
      <div role="status" className={styles.notices}>
        {[...notices, ...attached.flatMap((file) => warningOf(file) ?? [])].map((notice) => (
          <p key={notice}>{notice}</p>
        ))}
        {attached.length > 0 && !isKept && (
          <p>Send these files before you close this page: it cannot keep them.</p>
        )}
      </div>
      <ToolButton
        icon={AttachIcon}
        name="Attach a file"
        word="Attach"
        isBusy={isBusy}
        onClick={() => chooser.current?.click()}
      />
      <ToolButton
        icon={CameraIcon}
        name="Camera"
        word="Camera"
        className={styles.camera ?? ''}
        isBusy={isBusy}
        onClick={() => camera.current?.click()}
      />
      <input ref={chooser} type="file" multiple hidden aria-label="Files" />
      <input ref={camera} type="file" accept="image/*" capture="environment" hidden aria-label="Camera" />
    </div>
  );
}

import type { ReceivedFile } from '@expert-relay/sdk';
import type { Storage } from '../storage/storage.ts';
import { createStore, type Store } from '../ui/store.ts';
import { readJson, writeJson } from './json-with-bytes.ts';

/** The files that the expert has attached to the next answer. They are stored, as drafts of texts are. */
export interface AttachedFiles extends Store<readonly ReceivedFile[]> {
  /** Whether they are still there after the page is closed. */
  readonly isKept: Store<boolean>;
  /** Resolves once they are stored. */
  saved(): Promise<void>;
  /** Removes them at once, and from the storage once `handedOver` resolves. If it rejects, they are back. */
  handOver(handedOver: Promise<unknown>): void;
}

export function createAttachedFiles(
  requestId: string,
  storage: Pick<Storage, 'get' | 'set' | 'delete' | 'isLasting'>,
): AttachedFiles {
  const name = `files:${requestId}`;
  const files = createStore<readonly ReceivedFile[]>([]);
  const isKept = createStore(storage.isLasting);
  let isTouched = false;
  let saving = storage
    .get(name)
    .then((kept) => {
      if (kept !== undefined && !isTouched) files.set(readJson<readonly ReceivedFile[]>(kept));
    })
    .catch(() => {});

  function save(): void {
    const value = files.get();
    const write = () => (value.length === 0 ? storage.delete(name) : storage.set(name, writeJson(value)));
    saving = saving.then(write).then(
      () => isKept.set(storage.isLasting),
      () => isKept.set(false),
    );
  }

  return {
    ...files,
    isKept,
    saved: () => saving,
    set(value) {
      isTouched = true;
      files.set(value);
      save();
    },
    handOver(handedOver) {
      isTouched = true;
      const attached = files.get();
      files.set([]);
      handedOver.then(
        // Others may have been attached meanwhile.
        () => void (files.get().length === 0 && save()),
        () => {
          files.set([...attached, ...files.get()]);
          save();
        },
      );
    },
  };
}

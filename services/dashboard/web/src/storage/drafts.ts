import type { Tabs } from '../relay/tabs.ts';
import { createStore, type Store } from '../ui/store.ts';
import type { Storage } from './storage.ts';

/** Soon, since a page that is reloaded does not wait for its storage: then what was typed in this time is lost. */
const saveAfterMs = 20;

/** A text that is being written. */
export interface Draft {
  readonly text: Store<string>;
  /** Whether the stored draft has been read. */
  readonly isRestored: Store<boolean>;
  /** Called with every change of the text. */
  write(text: string): void;
  /** Clears the text box at once, and deletes the stored draft once `handedOver` resolves. If it rejects, the text is back. */
  handOver(handedOver: Promise<unknown>): void;
  /** Saves the unsaved text now. */
  save(): Promise<void>;
}

export interface DraftOptions {
  readonly requestId: string;
  readonly storage: Storage;
  readonly tabs: Tabs;
  /** Whether the expert is typing in this tab: then drafts of other tabs do not replace its text. */
  readonly isTyping: () => boolean;
  /** What stands there once a text is given back and a newer one was written. */
  readonly join: (before: string, newer: string) => string;
}

/** The newer text stands below the one before. */
export const joinTexts = (before: string, newer: string): string =>
  [before, newer].filter(Boolean).join('\n\n');

export function createDraft({
  requestId,
  storage,
  tabs,
  isTyping,
  join,
}: DraftOptions): Draft & { stop(): void } {
  const name = `draft:${requestId}`;
  const text = createStore('');
  const isRestored = createStore(false);
  let isTouched = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let saving = Promise.resolve();

  void storage
    .get(name)
    .catch(() => undefined)
    .then((kept) => {
      if (kept !== undefined && !isTouched) text.set(kept);
      isRestored.set(true);
    });

  function save(): Promise<void> {
    if (timer === undefined) return saving;
    clearTimeout(timer);
    timer = undefined;
    const value = text.get();
    tabs.send({ type: 'draft', requestId, text: value });
    saving = (value ? storage.set(name, value) : storage.delete(name)).catch(() => {});
    return saving;
  }

  const unlisten = tabs.listen((message) => {
    if (message.type !== 'draft' || message.requestId !== requestId || isTyping()) return;
    isTouched = true;
    text.set(message.text);
  });
  const leave = () => void save();
  addEventListener('pagehide', leave);
  document.addEventListener('visibilitychange', leave);

  return {
    text,
    isRestored,
    save,
    write(value) {
      isTouched = true;
      text.set(value);
      timer ??= setTimeout(save, saveAfterMs);
    },
    handOver(handedOver) {
      isTouched = true;
      clearTimeout(timer);
      timer = undefined;
      const written = text.get();
      text.set('');
      tabs.send({ type: 'draft', requestId, text: '' });
      handedOver.then(
        () => {
          // A newer text has replaced it.
          if (text.get() === '') saving = storage.delete(name).catch(() => {});
        },
        () => {
          text.set(join(written, text.get()));
          timer ??= setTimeout(save);
        },
      );
    },
    stop() {
      void save();
      unlisten();
      removeEventListener('pagehide', leave);
      document.removeEventListener('visibilitychange', leave);
    },
  };
}

import { useEffect, useState } from 'react';
import { useAppContext } from '../session/app-context.tsx';
import { createDraft, type Draft, joinTexts } from '../storage/drafts.ts';

/** What the expert is writing in a conversation. */
export interface Drafts {
  readonly text: Draft;
  /** A `FormDraft` as JSON. */
  readonly form: Draft;
}

/** The drafts of a request. They outlive the controls in which they are written. */
export function useDrafts(requestId: string): Drafts | undefined {
  const { storage, live } = useAppContext();
  const [drafts, setDrafts] = useState<Drafts>();
  useEffect(() => {
    const { tabs } = live;
    const isWriting = () => document.hasFocus() && document.activeElement?.matches('[data-reply]') === true;
    const text = createDraft({ requestId, storage, tabs, isTyping: isWriting, join: joinTexts });
    const form = createDraft({
      requestId: `${requestId}/form`,
      storage,
      tabs,
      isTyping: () => document.hasFocus(),
      // It has what was filled in for earlier forms, too.
      join: (before) => before,
    });
    setDrafts({ text, form });
    return () => {
      text.stop();
      form.stop();
    };
  }, [requestId, storage, live]);
  return drafts;
}

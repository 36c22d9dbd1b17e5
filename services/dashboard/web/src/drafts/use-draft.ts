import { type RefObject, useEffect, useRef, useState } from 'react';
import { useServices } from '../services/services.tsx';
import { createDraft, type Draft } from './drafts.ts';

/** The draft of a request, for the lifetime of the component. */
export function useDraft(requestId: string, box: RefObject<HTMLElement | null>): Draft | undefined {
  const { storage, live } = useServices();
  const [draft, setDraft] = useState<Draft>();
  const typed = useRef(box);
  useEffect(() => {
    const isTyping = () => document.hasFocus() && document.activeElement === typed.current.current;
    const opened = createDraft({ requestId, storage, tabs: live.tabs, isTyping });
    setDraft(opened);
    return () => opened.stop();
  }, [requestId, storage, live]);
  return draft;
}

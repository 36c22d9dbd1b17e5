import { defaultsOf, type Form } from '@expert-relay/sdk/forms';
import { useEffect, useMemo, useState } from 'react';
import { createDraft, type Draft } from '../drafts/drafts.ts';
import { useServices } from '../services/services.tsx';
import { createStore, useStore } from '../ui/store.ts';
import { type Values, valuesOf } from './values.ts';

/** What the expert has filled in. */
export interface FormDraft {
  /** The form. What was filled in for another one is not used. */
  readonly of: string;
  readonly values: Values;
  readonly comment: string;
}

/** Drafts of forms are stored like those of texts, under this name. */
export const formDraftName = (requestId: string): string => `${requestId}/form`;

const notYet = createStore('');

/** What was filled in before, or the defaults of the form. */
export function useFormDraft(requestId: string, of: string, form: Form | undefined) {
  const { storage, live } = useServices();
  const [draft, setDraft] = useState<Draft>();
  useEffect(() => {
    const isTyping = () => document.hasFocus();
    const opened = createDraft({ requestId: formDraftName(requestId), storage, tabs: live.tabs, isTyping });
    const show = () => opened.isRestored.get() && setDraft(opened);
    const unsubscribe = opened.isRestored.subscribe(show);
    show();
    return () => {
      unsubscribe();
      opened.stop();
    };
  }, [requestId, storage, live]);
  const text = useStore(draft?.text ?? notYet);
  const now = useMemo(() => {
    const kept: FormDraft | undefined = text ? JSON.parse(text) : undefined;
    const empty: FormDraft = { of, values: form ? valuesOf(form, defaultsOf(form)) : {}, comment: '' };
    return kept?.of === of ? kept : empty;
  }, [text, of, form]);
  return {
    /** Undefined until the stored draft was read. */
    now: draft && now,
    change: (changes: Partial<FormDraft>) => draft?.write(JSON.stringify({ ...now, ...changes })),
    handOver: (handedOver: Promise<unknown>) => draft?.handOver(handedOver),
  };
}

import type { Form } from '@expert-relay/sdk/forms';
import { defaultsOf } from '@expert-relay/sdk/internal';
import { useMemo } from 'react';
import type { Draft } from '../storage/drafts.ts';
import { useStore } from '../ui/store.ts';
import { type FormDraft, listFormDrafts, readFormDraft } from './form-draft.ts';
import { valuesOf } from './values.ts';

/** What was filled in before, or the defaults of the form. */
export function useFormDraft(draft: Draft, of: string, form: Form | undefined) {
  const text = useStore(draft.text);
  const isRestored = useStore(draft.isRestored);
  const now = useMemo((): FormDraft => {
    const kept = readFormDraft(text);
    if (kept?.of === of) return kept;
    return {
      of,
      values: form ? valuesOf(form, defaultsOf(form)) : {},
      comment: '',
      earlier: listFormDrafts(text),
    };
  }, [text, of, form]);
  return {
    /** Undefined until the stored draft was read. */
    now: isRestored ? now : undefined,
    change: (changes: Partial<FormDraft>) => draft.write(JSON.stringify({ ...now, ...changes })),
    /** Removes it, apart from what was filled in for earlier forms. */
    handOver(handedOver: Promise<unknown>) {
      draft.handOver(handedOver);
      const [first, ...others] = [...(now.earlier ?? [])].reverse();
      if (first) draft.write(JSON.stringify({ ...first, earlier: others.reverse() } satisfies FormDraft));
    },
  };
}

/** Rows of a list that the expert has selected, to act on all at once. */
export interface Selection {
  readonly ids: ReadonlySet<string>;
  /** Where the last change was made: Shift selects the rows from here on, besides what was selected by then. */
  readonly anchor?: { readonly id: string; readonly before: ReadonlySet<string> };
}

/** Where checkboxes are shown, and none is checked. */
export const nothingSelected: Selection = { ids: new Set() };

/** Selects a row, or takes it out of the selection, which ends with its last row. */
export function toggleRow(selection: Selection | undefined, id: string): Selection | undefined {
  const ids = new Set(selection?.ids);
  if (!ids.delete(id)) ids.add(id);
  return ids.size > 0 ? { ids, anchor: { id, before: ids } } : undefined;
}

/** Selects the rows from the anchor to this one, in the order of the list. Without an anchor they begin at `from`. */
export function extendTo(
  selection: Selection | undefined,
  order: readonly string[],
  id: string,
  from: string = id,
): Selection {
  const { ids, anchor } = selection ?? nothingSelected;
  const known = anchor && order.includes(anchor.id) ? anchor : { id: from, before: ids };
  const [first = 0, last = 0] = [order.indexOf(known.id), order.indexOf(id)].sort(
    (one, other) => one - other,
  );
  return { ids: new Set([...known.before, ...order.slice(first, last + 1)]), anchor: known };
}

/** What is left of a selection. It ends with its last row. */
export function keepRows(selection: Selection, isKept: (id: string) => boolean): Selection | undefined {
  const { ids, anchor } = selection;
  const keep = (set: ReadonlySet<string>) => new Set([...set].filter(isKept));
  const kept = keep(ids);
  if (kept.size === ids.size) return selection;
  if (kept.size === 0) return undefined;
  return { ids: kept, ...(anchor && { anchor: { id: anchor.id, before: keep(anchor.before) } }) };
}

export type LineKind = 'added' | 'removed' | 'hunk' | 'header' | 'same';

/** Lines of one kind that follow each other, line breaks included. */
interface Lines {
  readonly kind: LineKind;
  readonly text: string;
}

/** The changes of one file. Without a header they are those of the file that was not named. */
export interface DiffFile {
  /** The line with the file's name. */
  readonly header: string;
  readonly lines: readonly Lines[];
}

/** More changes of kind are shown without colours. An honest diff of a megabyte has about so many. */
const maxRuns = 6_000;

export const isDiff = (text: string): boolean => /^(?:diff --git |--- |@@ )/.test(text);

/** `indent`: the characters before each line, of a list or a quote that the diff stands in. */
export function readDiff(text: string, indent = 0): readonly DiffFile[] {
  const files: { header: string; lines: { kind: LineKind; text: string }[] }[] = [];
  let isHeader = false;
  let runs = 0;
  /** Lines that the hunk still has, of before and of after: a removed line may begin with two hyphens, too. */
  let left = 0;
  const lines = text.match(/.*\n|.+/g) ?? [];
  const contents = lines.map((line) => line.slice(/^[\s>]*/.exec(line.slice(0, indent))?.[0].length));
  const startsFile = (at: number): boolean =>
    contents[at]?.startsWith('diff ') === true ||
    (!isHeader &&
      left <= 0 &&
      ['--- ', '+++ ', '@@ '].every((start, next) => contents[at + next]?.startsWith(start)));
  for (const [at, line] of lines.entries()) {
    const content = contents[at] ?? '';
    if (startsFile(at)) {
      files.push({ header: line, lines: [] });
      isHeader = true;
      continue;
    }
    if (content.startsWith('@@')) isHeader = false;
    const [, before = 1, after = 1] = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(content) ?? [0, 0, 0];
    left = content.startsWith('@@')
      ? Number(before) + Number(after)
      : left - (/^[-+\\]/.test(content) ? 1 : 2);
    const kind = runs > maxRuns ? 'same' : isHeader ? 'header' : (kinds[content[0] ?? ''] ?? 'same');
    if (files.length === 0) files.push({ header: '', lines: [] });
    const last = files.at(-1)?.lines;
    const run = last?.at(-1);
    if (run?.kind === kind) run.text += line;
    else {
      last?.push({ kind, text: line });
      runs += 1;
    }
  }
  return files;
}

const kinds: Readonly<Record<string, LineKind>> = { '+': 'added', '-': 'removed', '@': 'hunk' };

/** A part of a text that is one diff, or has none. */
interface Part {
  readonly text: string;
  readonly isDiff: boolean;
  readonly indent: number;
}

/** Finds the diffs in a text: all of it, or what stands in a fence that names it. */
export function splitDiffs(text: string): readonly Part[] {
  if (isDiff(text)) return [{ text, isDiff: true, indent: 0 }];
  const parts: Part[] = [];
  let at = 0;
  for (const { 0: fence, 1: before = '', 2: marks = '', index } of text.matchAll(
    /^([ \t>]{0,12})(`{3,}|~{3,})[ \t]*(?:diff|patch)\b.*\n/gim,
  )) {
    if (index < at) continue;
    const from = index + fence.length;
    const end = text.slice(from).search(new RegExp(`^[ \\t>]{0,12}${marks}`, 'm'));
    const to = end < 0 ? text.length : from + end;
    parts.push({ text: text.slice(at, from), isDiff: false, indent: 0 });
    parts.push({ text: text.slice(from, to), isDiff: true, indent: before.length });
    at = to;
  }
  return [...parts, { text: text.slice(at), isDiff: false, indent: 0 }];
}

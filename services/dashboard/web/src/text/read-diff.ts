import { isDiff } from '@expert-relay/sdk/internal';

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

/** What a diff, or those of a text together, may become: more is one part without colours. An honest megabyte has about so many. */
export const maxDiffElements = 6_000;
/** A longer header is not a file's: it would cover the file that it stays above. */
const maxHeader = 120;
/** Diffs in more fences are not coloured. */
const maxFences = 500;

/** `indent`: the characters before each line, of a list or a quote that the diff stands in. */
export function readDiff(text: string, indent = 0, max = maxDiffElements): readonly DiffFile[] {
  const files: { header: string; lines: { kind: LineKind; text: string }[] }[] = [];
  let isHeader = false;
  let elements = 0;
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
    const isFull = elements >= max;
    if (!isFull && startsFile(at)) {
      isHeader = true;
      const isLong = line.length > maxHeader;
      files.push({ header: isLong ? '' : line, lines: isLong ? [{ kind: 'header', text: line }] : [] });
      elements += elementsPerFile;
      continue;
    }
    if (content.startsWith('@@')) isHeader = false;
    const [, before = 1, after = 1] = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(content) ?? [0, 0, 0];
    left = content.startsWith('@@')
      ? Number(before) + Number(after)
      : left - (/^[-+\\]/.test(content) ? 1 : 2);
    const kind = isFull ? 'same' : isHeader ? 'header' : (kinds[content[0] ?? ''] ?? 'same');
    if (files.length === 0) files.push({ header: '', lines: [] });
    const last = files.at(-1)?.lines;
    const run = last?.at(-1);
    if (run?.kind === kind) run.text += line;
    else {
      last?.push({ kind, text: line });
      elements += 1;
    }
  }
  return files;
}

const elementsPerFile = 2;

export const countElements = (files: readonly DiffFile[]): number =>
  files.reduce((sum, { lines }) => sum + elementsPerFile + lines.length, 0);

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
    if (parts.length >= 2 * maxFences) break;
    const from = index + fence.length;
    const end = text.slice(from).search(new RegExp(`^[ \\t>]{0,12}${marks}`, 'm'));
    const to = end < 0 ? text.length : from + end;
    parts.push({ text: text.slice(at, from), isDiff: false, indent: 0 });
    parts.push({ text: text.slice(from, to), isDiff: true, indent: before.length });
    at = to;
  }
  return [...parts, { text: text.slice(at), isDiff: false, indent: 0 }];
}

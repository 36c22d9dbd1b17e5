/** How characters look, as bits. */
export const looks = {
  mark: 1,
  strong: 2,
  em: 4,
  del: 8,
  address: 16,
  gutter: 32,
  pipe: 64,
  code: 128,
} as const;

/** Characters that look the same, or what encloses such characters. */
export type Inline =
  | { readonly text: string; readonly look: number }
  | {
      readonly tag: 'a' | 'code' | 'bdi';
      readonly href?: string | undefined;
      readonly children: readonly Inline[];
    };

export interface Lines {
  readonly kind: 'text' | 'heading' | 'rule' | 'blank';
  readonly content: readonly Inline[];
}

export interface Code {
  readonly kind: 'code';
  /** The line before the code, and the one behind it. */
  readonly fences: readonly [before: string, behind: string];
  readonly body: string;
  readonly language: string | undefined;
  /** The characters before each line, of a list or a quote that the code stands in. */
  readonly indent: number;
  readonly pieces?: readonly { readonly text: string; readonly kind: string | undefined }[];
}

export interface Table {
  readonly kind: 'table';
  readonly rows: readonly (readonly (readonly Inline[])[])[];
  /** The titles of the columns, and how their cells are aligned. */
  readonly columns: readonly { readonly title: string; readonly align: 'start' | 'center' | 'right' }[];
}

/** Some lines of a text. */
export type Block = (Lines | Code | Table) & {
  /** The number of lists and quotes that it stands in. */
  readonly depth: number;
  /** The first of them that is a quote. */
  readonly quote: number | undefined;
};

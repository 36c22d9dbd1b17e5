import { posix } from 'node:path';
import type { Tree } from './tree.ts';

/** A public name of the SDK, with its declaration. */
export interface PublicName {
  readonly name: string;
  /** What users import it from. */
  readonly entry: string;
  /** The file that declares it. */
  readonly path: string;
  readonly kind: string;
  /** The doc comment, or an empty text. */
  readonly comment: string;
  /** From the name to the end of the declaration. */
  readonly declaration: string;
}

const sdk = 'packages/sdk';

/** The entries of the package that users import. */
function publicEntries(tree: Tree): readonly { readonly entry: string; readonly path: string }[] {
  const { exports = {} } = JSON.parse(tree.get(`${sdk}/package.json`) ?? '{}') as {
    exports?: Record<string, { readonly 'relay-source': string }>;
  };
  return Object.entries(exports)
    .filter(([entry]) => entry !== './internal')
    .map(([entry, { 'relay-source': source }]) => ({
      entry: posix.join('@expert-relay/sdk', entry),
      path: posix.join(sdk, source),
    }));
}

/** What an entry exports: names, and the files that declare them. */
function exportsOf(tree: Tree, path: string): readonly { readonly name: string; readonly path: string }[] {
  return [...(tree.get(path) ?? '').matchAll(/^export (?:type )?\{([^}]*)\} from '([^']+)'/gm)].flatMap(
    ([, names = '', from = '']) =>
      names
        .split(',')
        .map((name) => name.trim().replace(/^type /, ''))
        .filter((name) => name !== '')
        .map((name) => ({ name, path: posix.join(posix.dirname(path), from) })),
  );
}

export function publicNames(tree: Tree): readonly PublicName[] {
  return publicEntries(tree)
    .flatMap(({ entry, path }) => exportsOf(tree, path).map((exported) => ({ entry, ...exported })))
    .map(({ entry, name, path }) => {
      const declared = new RegExp(
        `(/\\*\\*(?:(?!\\*/)[^])*\\*/\\n)?export (?:async )?(?:(type|const) (${name}\\b[^]*?;)$|(interface|function|class) (${name}\\b[^]*?^\\}))`,
        'm',
      );
      const [, comment = '', short, line, long, block] = declared.exec(tree.get(path) ?? '') ?? [];
      const [kind = '', declaration = ''] = [short ?? long, line ?? block];
      return { name, entry, path, kind, comment, declaration };
    });
}

/**
 * The examples in the doc comments of a file as one program. All other lines are empty, so that an error has the line number of
 * the file.
 */
export function examplesOf(text: string): string {
  let isExample = false;
  return text
    .split('\n')
    .map((line) => {
      const wasExample = isExample;
      const [, content] = /^ *\* ?(?!\/)(.*)$/.exec(line) ?? [];
      const tag = content?.match(/^@(\w+)/)?.[1];
      isExample = tag === 'example' || (wasExample && tag === undefined && content !== undefined);
      // Each example has its own names.
      const end = wasExample && (!isExample || tag) ? '}' : '';
      return tag === 'example' ? `${end}{` : isExample ? (content ?? '') : end;
    })
    .join('\n');
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMap, parseDocument, type Scalar, type YAMLMap } from 'yaml';
import { root } from '../local/home.ts';

const header = '| Value | Default | Meaning |\n|---|---|---|\n';

/** charts/expert-relay/README.md: its own text, and behind it a table of all values, from values.yaml with its comments. */
export function renderChartReadme(): string {
  const read = (name: string) => readFileSync(join(root, 'charts/expert-relay', name), 'utf8');
  const [text = ''] = read('README.md').split(header);
  return [text, header, ...rowsOf(parseDocument(read('values.yaml')).contents as YAMLMap, '')].join('');
}

/** A value with a comment is one row, with all its members. */
function rowsOf(map: YAMLMap, path: string): string[] {
  return map.items.flatMap(({ key, value }, at) => {
    const { value: name, commentBefore } = key as Scalar<string>;
    // The parser gives the comment above the first member to the map, and puts that of the file before the first value's.
    const comments = commentBefore ?? (at === 0 ? map.commentBefore : undefined);
    const comment = comments
      ?.split('\n\n')
      .at(-1)
      ?.replaceAll(/\s*\n\s*/g, ' ');
    if (!comment && isMap(value) && value.items.length > 0) return rowsOf(value, `${path}${name}.`);
    if (!comment) throw new Error(`${path}${name} of values.yaml has no comment.`);
    return `| \`${path}${name}\` | \`${JSON.stringify(value)}\` |${comment} |\n`;
  });
}

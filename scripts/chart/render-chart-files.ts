import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../local/home.ts';
import { renderBoards } from './boards/render-boards.ts';
import { renderNatsUsers, renderRedisUsers } from './server-users.ts';
import { describeValues } from './values-schema.ts';

const chart = 'charts/expert-relay';

/** The files of the chart that are made from the code and from its values.yaml, by their paths. */
export function renderChartFiles(): Record<string, string> {
  const read = (file: string) => readFileSync(join(root, chart, file), 'utf8');
  const { schema, table } = describeValues(read('values.yaml'));
  const readme = read('README.md').replace(
    /(?<=<!-- values -->\n)[\s\S]*(?=\n<!-- \/values -->)/,
    () => table,
  );
  return {
    [`${chart}/files/nats-users.conf`]: renderNatsUsers(),
    [`${chart}/files/redis-users.yaml`]: renderRedisUsers(),
    ...Object.fromEntries(
      Object.entries(renderBoards()).map(([file, text]) => [`${chart}/files/boards/${file}`, text]),
    ),
    [`${chart}/values.schema.json`]: schema,
    [`${chart}/README.md`]: readme,
  };
}

import { edge } from './edge.ts';
import { expiryAndOutbox } from './expiry-and-outbox.ts';
import { hubBoard } from './hub.ts';
import { notifierBoard } from './notifier.ts';
import { overview } from './overview.ts';
import type { Board, Panel } from './panels.ts';

/** The boards by their names. */
const boards: Readonly<Record<string, Board>> = {
  overview,
  edge,
  hub: hubBoard,
  'expiry-and-outbox': expiryAndOutbox,
  notifier: notifierBoard,
};

/** The files of the chart's boards by their names, as Grafana imports them. */
export const renderBoards = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(boards).map(([name, board]) => [`${name}.json`, renderBoard(name, board)]),
  );

const datasource = { type: 'prometheus', uid: '$datasource' };

const perRow = 3;
const width = 24 / perRow;
const height = 8;

function renderBoard(name: string, { title, panels }: Board): string {
  const board = {
    uid: `expert-relay-${name}`,
    title,
    description: 'Made by `npm run docs`. Do not edit.',
    tags: ['expert-relay'],
    schemaVersion: 39,
    editable: true,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    links: [
      {
        type: 'dashboards',
        title: 'Expert Relay',
        tags: ['expert-relay'],
        asDropdown: true,
        includeVars: true,
        keepTime: true,
      },
    ],
    templating: {
      list: [
        { name: 'datasource', label: 'Prometheus', type: 'datasource', query: 'prometheus' },
        {
          name: 'namespace',
          label: 'Namespace',
          type: 'query',
          datasource,
          query: { query: 'label_values(relay_dependency_up, namespace)', refId: 'namespace' },
          refresh: 2,
        },
        {
          name: 'release',
          label: 'Release',
          type: 'query',
          datasource,
          query: {
            query: 'label_values(relay_dependency_up{namespace=~"$namespace"}, release)',
            refId: 'release',
          },
          refresh: 2,
          includeAll: true,
          // Also metrics without this label.
          allValue: '.*',
          current: { text: 'All', value: '$__all' },
        },
      ],
    },
    panels: panels.map((panel, index) => renderPanel(panel, index)),
  };
  return `${JSON.stringify(board, null, 2)}\n`;
}

function renderPanel({ title, description, unit, queries }: Panel, index: number) {
  return {
    id: index + 1,
    type: 'timeseries',
    title,
    ...(description && { description }),
    datasource,
    gridPos: {
      x: (index % perRow) * width,
      y: Math.floor(index / perRow) * height,
      w: width,
      h: height,
    },
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    options: {
      legend: { displayMode: 'list', placement: 'bottom' },
      tooltip: { mode: 'multi', sort: 'desc' },
    },
    targets: Object.entries(queries).map(([legendFormat, expr], at) => ({
      refId: String.fromCharCode(65 + at),
      datasource,
      expr,
      legendFormat,
      range: true,
    })),
  };
}

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './local/home.ts';
import { buildProduct } from './steps/build.ts';
import { StepError } from './terminal/failure.ts';
import { createTerminal } from './terminal/terminal.ts';

/** `npm run docs`: the files that are made from the code; with `--check` it only says whether they are up to date. */
export async function docs([option]: string[]): Promise<void> {
  const terminal = createTerminal();
  await buildProduct(terminal);
  await terminal.step('docs', async () => {
    const { renderConfiguration, renderKnownSettings } = await import('./docs/configuration.ts');
    const { renderNatsUsers, renderRedisUsers } = await import('./chart/server-users.ts');
    const { renderSettings } = await import('./docs/settings.ts');
    const { renderChartReadme } = await import('./docs/chart-readme.ts');
    const { renderErrors } = await import('./docs/errors.ts');
    const { renderMetrics } = await import('./docs/metrics.ts');
    const { freeze } = await import('../packages/sdk/src/testing/vectors/frozen.ts');
    const { renderVectors } = await import('../packages/sdk/src/testing/vectors/render-vectors.ts');
    const { renderReceiptVectors } = await import(
      '../packages/sdk/src/testing/receipts/render-receipt-vectors.ts'
    );
    const vectors = await renderVectors();
    const frozen = 'packages/sdk/vectors/frozen.json';
    const pages = {
      'docs/configuration.md': renderConfiguration(),
      'charts/expert-relay/settings.json': renderSettings(),
      'charts/expert-relay/README.md': renderChartReadme(),
      'docs/errors.md': renderErrors(),
      'docs/metrics.md': renderMetrics(),
      'packages/kit/src/config/known-settings.ts': renderKnownSettings(),
      'docs/crypto-vectors.json': vectors,
      'docs/receipt-vectors.json': await renderReceiptVectors(),
      [frozen]: freeze(vectors, readFileSync(join(root, frozen), 'utf8')),
      'charts/expert-relay/files/nats-users.conf': renderNatsUsers(),
      'charts/expert-relay/files/redis-users.yaml': renderRedisUsers(),
    };
    for (const [page, text] of Object.entries(pages)) {
      const path = join(root, page);
      if (option !== '--check') writeFileSync(path, text);
      else if (readFileSync(path, 'utf8') !== text) {
        throw new StepError(`${page} is not what the code says. Run npm run docs and commit it.`);
      }
    }
  });
}

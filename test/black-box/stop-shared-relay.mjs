import { shared } from './shared-relay.mjs';

/** Jest's global teardown: stops the relay that `share-relay.mjs` started, and fails if it left something open. */
// biome-ignore lint/style/noDefaultExport: Jest requires a default export.
export default () => shared.stop();

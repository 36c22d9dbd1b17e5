import { shared } from './shared-relay.mjs';

/** Jest's global teardown: what `share-relay.mjs` has started ends, and must leave nothing open. */
// biome-ignore lint/style/noDefaultExport: Jest takes no other.
export default () => shared.stop();

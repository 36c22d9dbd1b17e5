/** How Jest's global setup hands the relay that it has started over to the teardown. */
export const shared = { stop: async () => {} };

/** Jest's global setup stores here how the teardown stops the relay. */
export const shared = { stop: async () => {} };

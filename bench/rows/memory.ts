import type { Row } from './row.ts';

export const memory: Row = { name: 'memory', play: async () => [] };

/** The contract's three limits. The most specific one alone counts. */
export const limitNames = ['pages', 'api', 'poll'] as const;

export type LimitName = (typeof limitNames)[number];

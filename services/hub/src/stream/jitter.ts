/** Between half of a time and one and a half, so that many who were told the same time do not come at once. */
export const jitter = (time: number): number => Math.round(time * (0.5 + Math.random()));

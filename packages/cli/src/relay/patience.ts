/** How long the SDK repeats a call, for commands: past the minute that a rate limit asks for, and no longer. */
export const timing = { patience: 75_000 } as const;

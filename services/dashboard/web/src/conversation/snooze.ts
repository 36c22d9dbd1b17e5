/** The snooze of the open request. */
export interface SnoozeActions {
  /** Undefined when it is not snoozed. */
  readonly now: { readonly until: string | undefined } | undefined;
  /** Without a time: until the agent writes. */
  readonly set: (until: Date | undefined) => void;
  readonly end: () => void;
}

export const clock = new Intl.DateTimeFormat(undefined, {
  weekday: 'short',
  hour: 'numeric',
  minute: '2-digit',
});

export const describeSnooze = ({ until }: { readonly until: string | undefined }): string =>
  until === undefined ? 'Snoozed until the agent writes' : `Snoozed until ${clock.format(new Date(until))}`;

/** Moves the focus to the agent's name: single keys are shortcuts there, and no phone opens its keyboard. */
export function focusHeader(): void {
  document.querySelector<HTMLElement>('[data-pane] h1')?.focus({ preventScroll: true });
}

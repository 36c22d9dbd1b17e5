/** On a narrow screen the list and the conversation are two pages: the same width as in the style sheets. */
export const isNarrow = (): boolean => matchMedia('(max-width: 767px)').matches;

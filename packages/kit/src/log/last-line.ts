/** The reason in an error's message: some libraries write the source position in the lines before it. */
export const lastLine = (message: string): string => message.trimEnd().split('\n').at(-1) ?? '';

/** Whether a text begins as a diff does. Clients show it, and put it into a fence, as one. */
export const isDiff = (text: string): boolean => /^(?:diff --git |--- |@@ )/.test(text);

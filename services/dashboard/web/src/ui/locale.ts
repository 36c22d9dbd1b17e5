/** English, until the page is translated, with the region of the browser: it decides about the order of dates and the clock. */
export const locale = localeFor(new Intl.DateTimeFormat().resolvedOptions().locale);

export function localeFor(ofBrowser: string): string {
  const { language, region } = new Intl.Locale(ofBrowser).maximize();
  return language === 'en' ? ofBrowser : `en-${region}`;
}

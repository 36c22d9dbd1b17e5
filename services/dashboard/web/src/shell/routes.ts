/** The addresses of the pages, without the base `/dashboard`. */
export const routes = {
  inbox: '/requests',
  request: (id: string) => `/requests/${encodeURIComponent(id)}`,
  keys: '/keys',
  settings: '/settings',
  /** The link in a mail. */
  confirmMail: '/confirm-mail',
};

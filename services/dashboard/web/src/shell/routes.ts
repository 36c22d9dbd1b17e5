/** The addresses of the pages, without the base `/dashboard`. */
export const routes = {
  inbox: '/requests',
  request: (id: string) => `/requests/${encodeURIComponent(id)}`,
  keys: '/keys',
  /** The row of a key. */
  key: (id: string) => `/keys#${encodeURIComponent(id)}`,
  settings: '/settings',
  /** The link in an email. */
  confirmEmail: '/confirm-email',
};

/** What follows the request's id, where it is not the name of the call. */
const endings: Readonly<Record<string, string>> = { messages: '', message: '/messages' };

/** Where the session API takes a call of v1. */
export const sessionPath = (path: string): string =>
  path.replace(/^\/api\/v1\/([\w-]+)(?:\/([\w-]+))?/, (_, name: string, id?: string) =>
    id ? `/api/requests/${id}${endings[name] ?? `/${name}`}` : `/api/${name}`,
  );

/** Whether a call with this method changes nothing. */
export const isRead = (method: string | undefined): boolean => method === 'GET' || method === 'HEAD';

/** Whether anybody but the owner has a right. Windows keeps no such modes. */
export function isTooOpen(mode: number): boolean {
  return process.platform !== 'win32' && (mode & 0o077) !== 0;
}

export function describeMode(mode: number): string {
  return (mode & 0o777).toString(8);
}

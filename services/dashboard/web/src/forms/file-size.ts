/** Such as `48 kB`. */
export function fileSize(bytes: number): string {
  if (bytes < 1_000) return `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`;
  const size = bytes / 1_000;
  return `${size < 10 ? Math.round(size * 10) / 10 : Math.round(size)} kB`;
}

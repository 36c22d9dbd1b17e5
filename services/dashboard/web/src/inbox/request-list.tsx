export function RequestList({ selected }: { selected: string | undefined }) {
  return <div>{selected}</div>;
}

export function ConversationPane({ requestId }: { requestId: string }) {
  return <div>{requestId}</div>;
}

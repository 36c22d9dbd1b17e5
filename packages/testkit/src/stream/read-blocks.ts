export interface Block {
  id?: string;
  event?: string;
  data?: string;
}

/** The blocks of an event stream, comments left out, as the HTML standard reads them. */
export async function* readBlocks(body: AsyncIterable<Uint8Array>): AsyncGenerator<Block> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of body) {
    const parts = (rest + decoder.decode(bytes, { stream: true })).split('\n\n');
    rest = parts.pop() ?? '';
    for (const part of parts) yield readBlock(part.split('\n'));
  }
}

function readBlock(lines: readonly string[]): Block {
  const block: Block = {};
  for (const line of lines) {
    const [, field, value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
    if (field === 'id') block.id = value;
    if (field === 'event') block.event = value;
    if (field === 'data') block.data = block.data === undefined ? value : `${block.data}\n${value}`;
  }
  return block;
}

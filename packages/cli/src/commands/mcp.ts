import { defineCommand } from '../arguments/command.ts';
import { serveMcp } from '../mcp/serve-mcp.ts';

export const mcp = defineCommand({
  name: 'mcp',
  summary: 'lets an AI agent ask your expert: an MCP server on stdin and stdout',
  usage: [''],
  about:
    'For the settings of an MCP client, such as Claude, Cursor or VS Code, which starts it by itself. It offers the tools ask_expert, wait_for_answer, reply, conversation_status and close. Conversations are kept where `relay ask` keeps them. It ends with its client.',
  options: {},
  examples: ['claude mcp add expert-relay -- relay mcp'],
  words: [0, 0],
  async run(context) {
    await serveMcp(context, process.stdin, process.stdout);
    return 'done';
  },
});

import { defineCommand } from '../arguments/command.ts';
import { acceptUnprotectedOption } from './ask/read-plan.ts';

export const mcp = defineCommand({
  name: 'mcp',
  summary: 'lets an AI agent ask your expert: an MCP server on stdin and stdout',
  usage: ['[options]'],
  about:
    'For the settings of an MCP client, such as Claude, Cursor or VS Code, which starts it. It offers the tools ask_expert, wait_for_answer, reply, conversation_status and close. Conversations are stored in the same folder as those of `relay ask`. It ends with its client.',
  options: {
    'accept-unprotected': acceptUnprotectedOption,
    files: {
      value: 'DIR',
      help: 'the model may attach files of this folder; links that lead out of it are not followed',
    },
  },
  examples: [
    'claude mcp add expert-relay -- relay mcp',
    'claude mcp add expert-relay -- relay mcp --files ./screenshots',
  ],
  words: [0, 0],
  startsWithWrongSettings: true,
  async run(context, { options }) {
    // Only here: the MCP SDK takes longer to load than all of the other commands together.
    const { serveMcp } = await import('../mcp/serve-mcp.ts');
    const acceptsUnprotected = context.config.acceptsUnprotected || options['accept-unprotected'] === true;
    const [input, output] = [process.stdin, process.stdout];
    await serveMcp(context, { input, output, acceptsUnprotected, filesFolder: options.files });
    return 'done';
  },
});

import { answerCommands } from './answer-commands.ts';
import { runLoad } from './run-load.ts';

answerCommands({ run: runLoad });

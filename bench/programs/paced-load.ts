import { answerCommands } from './answer-commands.ts';
import { pace } from './pace.ts';

answerCommands({ run: pace });

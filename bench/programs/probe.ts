import { answerCommands } from './answer-commands.ts';

// Loaded into a service with `--import`: the service itself knows nothing of being measured.
answerCommands().unref();

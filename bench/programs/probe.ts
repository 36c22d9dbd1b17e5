import { answerCommands } from './answer-commands.ts';

// Loaded into a service with `--import`, so that the service itself needs no code for measurements.
answerCommands().unref();

import {
  databaseVariables,
  directDatabaseVariable,
  maxLongAnswersVariable,
  natsVariables,
  portVariable,
  principalKeyVariable,
  processVariables,
  read,
  streamVariables,
  type Values,
} from '@expert-relay/kit/config';

export const variables = {
  process: processVariables,
  port: portVariable(8082),
  maxLongAnswers: maxLongAnswersVariable,
  database: { ...databaseVariables, directUrl: directDatabaseVariable },
  nats: { ...natsVariables, stream: streamVariables },
  principalKeys: {
    gateway: principalKeyVariable('gateway', 'messages'),
    dashboard: principalKeyVariable('dashboard', 'messages'),
  },
};

export type Config = Values<typeof variables>;

export const readConfig = (env: NodeJS.ProcessEnv = process.env): Config => read(variables, env);

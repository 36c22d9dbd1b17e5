import { principalKeyVariable, read, type Values, writerVariables } from '@expert-relay/kit/config';

export const variables = {
  ...writerVariables({ port: 8082 }),
  principalKeys: {
    gateway: principalKeyVariable('gateway', 'messages'),
    dashboard: principalKeyVariable('dashboard', 'messages'),
  },
};

export type Config = Values<typeof variables>;

export const readConfig = (env: NodeJS.ProcessEnv = process.env): Config => read(variables, env);

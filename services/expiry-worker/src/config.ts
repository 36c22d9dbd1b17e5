import {
  conversationTtlVariable,
  databaseVariables,
  processVariables,
  read,
  redisVariables,
  type Values,
} from '@expert-relay/kit/config';

export const variables = {
  process: processVariables,
  database: databaseVariables,
  redis: redisVariables,
  conversationTtl: conversationTtlVariable,
};

export type Config = Values<typeof variables>;

export const readConfig = (env: NodeJS.ProcessEnv = process.env): Config => read(variables, env);

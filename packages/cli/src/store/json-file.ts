import { rmSync } from 'node:fs';
import type { z } from 'zod';
import { Failure } from '../failure.ts';
import { createPrivate, readPrivate, writePrivate } from './private-file.ts';

/** A private file with one JSON value. */
export interface JsonFile<T> {
  readonly path: string;
  read(): T | undefined;
  write(value: T): void;
  /** Writes unless there is a file already. Returns whether it did. */
  create(value: T): boolean;
  remove(): void;
}

export interface JsonFileOptions<T> {
  path: string;
  schema: z.ZodType<T>;
  /** What is lost when the user removes a broken file. Part of the error message. */
  withoutIt: string;
}

export function openJsonFile<T>({ path, schema, withoutIt }: JsonFileOptions<T>): JsonFile<T> {
  return {
    path,
    read() {
      const text = readPrivate(path);
      if (text === undefined) return undefined;
      const parsed = schema.safeParse(parseJson(text));
      if (parsed.success) return parsed.data;
      throw new Failure(
        'state',
        `The file ${path} is broken. Put it back from a backup, or move it away (mv '${path}' '${path}.broken'): ${withoutIt}`,
      );
    },
    write: (value) => writePrivate(path, format(value)),
    create: (value) => createPrivate(path, format(value)),
    remove: () => rmSync(path, { force: true }),
  };
}

/** Undefined when the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const format = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

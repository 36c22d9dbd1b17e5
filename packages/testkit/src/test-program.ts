/** A program that tests start, and the environment that it needs, such as the folders of its libraries. */
export interface TestProgram {
  readonly path: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A program that `npm test` has found or fetched. Tests start no server by its bare name, since PATH may lack it. */
export function testProgram(name: string, env: NodeJS.ProcessEnv = process.env): TestProgram {
  const programs: Record<string, TestProgram | { missing: string }> = JSON.parse(
    env.RELAY_TEST_PROGRAMS || '{}',
  );
  const program = programs[name];
  if (!program) {
    throw new Error(
      `This test starts ${name}, and RELAY_TEST_PROGRAMS does not say where it is. Run it with \`npm test -- <file>\`, ` +
        'or with the exports that `npm run servers` prints.',
    );
  }
  if ('missing' in program) throw new Error(`This test starts ${name}: ${program.missing}.`);
  return program;
}

import { afterAll, beforeAll } from '@jest/globals';

/** The locks of a browser, for the tests of a file: Node has them only from release 24 on. */
export function provideLocks(): void {
  const last = new Map<string, Promise<unknown>>();
  const locks = {
    request<T>(name: string, ...rest: readonly [...unknown[], () => Promise<T>]): Promise<T> {
      const work = rest.at(-1) as () => Promise<T>;
      const turn = Promise.resolve(last.get(name)).then(work, work);
      last.set(name, turn);
      return turn;
    },
  };
  const before = Object.getOwnPropertyDescriptor(globalThis, 'navigator');
  beforeAll(() => {
    Object.defineProperty(globalThis, 'navigator', { configurable: true, value: { locks } });
  });
  afterAll(() => {
    if (before) Object.defineProperty(globalThis, 'navigator', before);
    else Reflect.deleteProperty(globalThis, 'navigator');
  });
}

/**
 * What Jest has made for the file that runs now.
 * @type {any}
 */
let current = {};

/** @param {object} globals */
export function useGlobals(globals) {
  current = globals;
}

/**
 * A function of Jest with its members, which are looked up at each call: a module that several files of tests import is
 * loaded once, and then serves each of them.
 * @param {string[]} path
 * @returns {any}
 */
function live(...path) {
  const members = new Map();
  return new Proxy(() => {}, {
    get(_target, /** @type {string} */ name) {
      if (!members.has(name)) members.set(name, live(...path, name));
      return members.get(name);
    },
    apply(_target, _self, args) {
      const owner = path.slice(0, -1).reduce((value, name) => value[name], current);
      return owner[path.at(-1) ?? ''](...args);
    },
  });
}

/* The exports of `@jest/globals` that tests use. */
export const afterAll = live('afterAll');
export const afterEach = live('afterEach');
export const beforeAll = live('beforeAll');
export const beforeEach = live('beforeEach');
export const describe = live('describe');
export const expect = live('expect');
export const jest = live('jest');
export const test = live('test');

const asyncHooks = require('node:async_hooks');
const { pathToFileURL } = require('node:url');
const { default: Runtime } = require('jest-runtime');

/**
 * How often this process has imported each file of tests.
 * @type {Map<string, number>}
 */
const imports = new Map();

/**
 * Node loads the tests, and each module that they import once in each worker. Jest would evaluate all modules of the product
 * and of its libraries again for each file, which took more than half of the CPU time of all tests.
 */
class NodeRuntime extends Runtime {
  /** @override */
  unstable_shouldLoadAsEsm() {
    return true;
  }

  /** @override @param {string} path */
  async unstable_importModule(path) {
    await import('./register.mjs');
    const { useGlobals } = await import('./globals.mjs');
    useGlobals(this.requireModuleOrMock(path, '@jest/globals'));
    const count = imports.get(path) ?? 0;
    imports.set(path, count + 1);
    const { href } = pathToFileURL(path);
    return await import(count === 0 ? href : `${href}?${count}`);
  }

  /**
   * The part of Jest that collects and runs the tests of a file. Its state is in the module.
   * @override @param {string} path
   */
  requireInternalModule(path) {
    delete require.cache[path];
    return withOneStorage(() => require(path));
  }
}

const { AsyncLocalStorage } = asyncHooks;
const storage = new AsyncLocalStorage();

/** As a constructor, it gives this one. */
function constructOne() {
  return storage;
}

/**
 * Each of these modules makes a storage, and Node copies the values of all storages that were ever used to each new promise.
 * @template T
 * @param {() => T} load
 */
function withOneStorage(load) {
  Object.defineProperty(asyncHooks, 'AsyncLocalStorage', {
    value: constructOne,
    configurable: true,
    writable: true,
  });
  try {
    return load();
  } finally {
    Object.assign(asyncHooks, { AsyncLocalStorage });
  }
}

module.exports = NodeRuntime;

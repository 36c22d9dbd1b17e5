const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');
const { recordCpu, usedCpu } = require('./cpu.cjs');

const { getBuiltinModule, ppid: parent } = process;

// Servers of a test would keep a worker running whose Jest was killed.
setInterval(() => {
  if (process.ppid !== parent) process.exit();
}, 1_000).unref();

/** @typedef {ConstructorParameters<typeof ModernFakeTimers>[0]['config']} ProjectConfig */

/** Tests run with Node's own globals. After each file, these are again as they were before it. */
module.exports = class {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);

  cpuBefore = usedCpu();

  /** @param {{ projectConfig: ProjectConfig }} config @param {{ testPath: string }} context */
  constructor({ projectConfig }, { testPath }) {
    this.testPath = testPath;
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
    this.restore = rememberGlobals();
  }

  exportConditions() {
    return [];
  }

  getVmContext() {
    return null;
  }

  async setup() {
    // Jest has set it, to apply the source maps of files that it has compiled. Node applies those of the modules that it has loaded.
    Reflect.deleteProperty(Error, 'prepareStackTrace');
    // Jest has set 100, and each error that libraries make and drop pays for them.
    Error.stackTraceLimit = 20;
    // Jest replaces this function, of what it takes for its copy of `process`.
    process.getBuiltinModule = getBuiltinModule;
  }

  async teardown() {
    this.fakeTimersModern.dispose();
    this.restore();
    const { RELAY_CPU_RECORD: file } = process.env;
    if (file) recordCpu(file, { path: this.testPath, cpu: usedCpu() - this.cpuBefore });
  }
};

/** Where Jest keeps the state of a file that `runtime.cjs` makes new for each one. */
const ofJest = ['EVENT_HANDLERS', 'RETRY_TIMES', 'RETRY_TIMES_SETTER', 'TEST_TIMEOUT_SYMBOL'].map(Symbol.for);

function rememberGlobals() {
  const { exit } = process;
  const env = { ...process.env };
  const globals = Object.entries(Object.getOwnPropertyDescriptors(globalThis));
  return () => {
    process.exit = exit;
    for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
    Object.assign(process.env, env);
    for (const symbol of ofJest) Reflect.deleteProperty(globalThis, symbol);
    for (const [name, before] of globals) {
      const now = Object.getOwnPropertyDescriptor(globalThis, name);
      // One without a value is loaded when it is first read.
      if ('value' in before && before.value !== now?.value) Object.defineProperty(globalThis, name, before);
    }
  };
}

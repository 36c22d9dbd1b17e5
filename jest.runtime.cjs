const { default: Runtime } = require('jest-runtime');

/**
 * Jest refuses `import()` between two tests. It takes the end of any concurrent test for that, while others still run: code
 * that is loaded on demand then failed by chance. After the end of a file it is refused as before.
 */
module.exports = class extends Runtime {
  leaveTestCode() {}
};

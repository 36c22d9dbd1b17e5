const { appendFileSync, readFileSync } = require('node:fs');

/** Clock ticks of a second: the same on all Linux systems that Node runs on. */
const ticks = 100;

/** CPU seconds of this process and of those that it started and that have ended; elsewhere than on Linux, without these. */
function usedCpu() {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    // After the name, which may contain spaces: utime, stime, cutime and cstime are the 12th to the 15th field.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0) / ticks;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  }
}

/** @param {string} file where the figures of all files are collected, a line each @param {{ path: string, cpu: number }} used */
const recordCpu = (file, used) => appendFileSync(file, `${JSON.stringify(used)}\n`);

module.exports = { usedCpu, recordCpu };

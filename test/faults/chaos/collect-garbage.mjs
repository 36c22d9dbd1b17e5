// node --import <the URL of this file>?output=<path>
//
// Collects garbage at SIGUSR2, so that memory in use can be measured without garbage. Then it writes how much memory V8 keeps
// free for new objects: V8 does not return this part (up to some 50 MB) once it was needed, and it does not grow any further.
import { writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
const output = new URL(import.meta.url).searchParams.get('output');
process.on('SIGUSR2', () => {
  collect();
  const { heapTotal, heapUsed } = process.memoryUsage();
  writeFileSync(`${output}-${process.pid}`, String(heapTotal - heapUsed));
});

// node --import <this file>
//
// Collects garbage at SIGUSR2, so that what a process keeps can be told from what V8 has not cleared away yet.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
process.on('SIGUSR2', () => collect());

// node --import <this file>
//
// Collects garbage at SIGUSR2, so that memory in use can be measured without garbage.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
process.on('SIGUSR2', () => collect());

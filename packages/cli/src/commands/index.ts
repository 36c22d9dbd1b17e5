import { answer } from './answer.ts';
import { ask } from './ask.ts';
import { close } from './close.ts';
import { doctor } from './doctor.ts';
import { keys } from './keys.ts';
import { listen } from './listen.ts';
import { mcp } from './mcp.ts';
import { pickUp } from './pick-up.ts';
import { show } from './show.ts';
import { whoami } from './whoami.ts';

/** In the order of `relay help`. */
export const commands = [ask, listen, pickUp, answer, show, close, mcp, keys, whoami, doctor];

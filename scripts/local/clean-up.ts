// node --import tsx scripts/local/clean-up.ts <home>
//
// Run by the watchdog after a run was killed: stops and removes what it has left.
import { claimHome } from './claim-home.ts';
import { openHome } from './home.ts';

const [, , folder] = process.argv;
// It fails where the next run was faster, which then cleans up itself.
await claimHome(openHome(folder), console.log).then((claim) => claim.release(), console.error);

/** The environment of a process of Node whose clock is ahead: for it, what others did just now was that long ago. */
export const clockAhead = (milliseconds: number) => ({
  NODE_OPTIONS: `--import=data:text/javascript,const{now}=Date;Date.now=()=>now()+${milliseconds}`,
});

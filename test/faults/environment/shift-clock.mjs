// node --import <this file>, with FAULT_CLOCK_SHIFT in milliseconds
//
// Simulates a machine with a wrong wall clock: all functions that read the date give the wrong one, while timers, which
// use the monotonic clock, are not affected.
const shift = Number(process.env.FAULT_CLOCK_SHIFT);
const realNow = Date.now;
const wrongNow = () => realNow() + shift;

globalThis.Date = new Proxy(Date, {
  construct: (RealDate, args, target) =>
    Reflect.construct(RealDate, args.length === 0 ? [wrongNow()] : args, target),
  apply: (RealDate) => new RealDate(wrongNow()).toString(),
  get: (RealDate, name) => (name === 'now' ? wrongNow : Reflect.get(RealDate, name)),
});

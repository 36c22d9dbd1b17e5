// node --import <this file>, with FAULT_CLOCK_SHIFT in milliseconds
//
// Simulates a machine whose wall clock is wrong, as after a lost time server: every way to ask for the
// date gives the wrong one, while timers, which count from the machine's start, run as ever.
const shift = Number(process.env.FAULT_CLOCK_SHIFT);
const rightNow = Date.now;
const wrongNow = () => rightNow() + shift;

globalThis.Date = new Proxy(Date, {
  construct: (right, moment, target) =>
    Reflect.construct(right, moment.length === 0 ? [wrongNow()] : moment, target),
  apply: (right) => new right(wrongNow()).toString(),
  get: (right, name) => (name === 'now' ? wrongNow : Reflect.get(right, name)),
});

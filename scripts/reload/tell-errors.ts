/** Reads what the watching compiler prints; tells its errors when they change, and when they are gone. */
export function createErrorTeller(tell: (line: string) => void): (line: string) => void {
  let errors: string[] = [];
  let told = '';

  return (line) => {
    if (/error TS\d+/.test(line)) errors.push(line);
    if (!/Found \d+ errors?\./.test(line)) return;
    const found = errors.join('\n');
    if (found !== told) for (const error of errors) tell(error);
    if (found === '' && told !== '') tell('The code compiles again.');
    [errors, told] = [[], found];
  };
}

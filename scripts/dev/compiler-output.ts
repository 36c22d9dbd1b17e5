/** Reads the output of the watching compiler; reports its errors when they have changed or are repaired. */
export function createErrorReporter(report: (line: string) => void): (line: string) => void {
  let errors: string[] = [];
  let reported = '';

  return (line) => {
    if (/error TS\d+/.test(line)) errors.push(line);
    if (!/Found \d+ errors?\./.test(line)) return;
    const found = errors.join('\n');
    if (found !== reported) for (const error of errors) report(error);
    if (found === '' && reported !== '') report('The code compiles again.');
    [errors, reported] = [[], found];
  };
}

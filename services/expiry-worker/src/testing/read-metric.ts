/** The value of a metric that a running service exports, summed over its labels. */
export async function readMetric(service: { opsUrl: string }, name: string): Promise<number> {
  const text = await (await fetch(`${service.opsUrl}/metrics`)).text();
  const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

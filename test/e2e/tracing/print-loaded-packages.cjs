// Loaded with `--require`: prints which packages of OpenTelemetry a process has loaded when it ends.
process.on('exit', () => {
  const names = Object.keys(require.cache).map((file) => /@opentelemetry\/[\w-]+/.exec(file)?.[0]);
  process.stderr.write(`loaded: ${[...new Set(names.filter(Boolean))].sort().join(' ')}\n`);
});

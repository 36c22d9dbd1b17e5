/** Replaces CSS modules in tests: each class has the same name as in the file. */
// biome-ignore lint/style/noDefaultExport: CSS modules have a default export.
export default new Proxy({}, { get: (_classes, name) => name });

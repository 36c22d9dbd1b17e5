/** What tests import in place of a CSS module: the name of each class is the name in the file. */
// biome-ignore lint/style/noDefaultExport: CSS modules have a default export.
export default new Proxy({}, { get: (_classes, name) => name });

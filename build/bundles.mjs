/** Waits for all values of an object. */
export async function allOf(promises) {
  const values = await Promise.all(Object.values(promises));
  return Object.fromEntries(Object.keys(promises).map((name, at) => [name, values[at]]));
}

/** The files that were built, each with the files that something of is in it, by the results of the builds. */
export function bundlesOf(results) {
  const outputs = Object.values(results)
    .flat()
    .flatMap(({ metafile }) => Object.entries(metafile.outputs));
  return Object.fromEntries(outputs.map(([file, { inputs }]) => [file, namesOf(inputs)]).sort());
}

const namesOf = (inputs) =>
  Object.entries(inputs)
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([name]) => name)
    .sort();

/** The folders of the packages that something of is in these files. */
export function packageFoldersOf(bundles) {
  const inputs = Object.values(bundles).flat();
  const folders = inputs.flatMap((input) => input.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/) ?? []);
  return [...new Set(folders)].sort();
}

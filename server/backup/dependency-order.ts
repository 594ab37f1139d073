/** Sorts names so that each comes after its dependencies, otherwise by name. Throws for a cycle. */
export function dependencyOrder(
  names: readonly string[],
  dependencies: ReadonlyMap<string, readonly string[]>,
): string[] {
  const ordered = new Set<string>();
  let left = [...names].sort();
  while (left.length > 0) {
    const ready = left.filter((name) => (dependencies.get(name) ?? []).every((other) => ordered.has(other)));
    if (ready.length === 0) throw new Error(`${left.join(", ")} depend on one another`);
    for (const name of ready) ordered.add(name);
    left = left.filter((name) => !ordered.has(name));
  }
  return [...ordered];
}

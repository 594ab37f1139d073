/** What stands in the way of deleting an account. */
export interface AccountObstacles {
  /** The apps of which the person is the only owner. */
  readonly onlyOwnerOf: readonly string[];
  /** The apps in whose tests the person has a seat in use. */
  readonly testerOf: readonly string[];
}

/** Why an account cannot be deleted now, as a sentence; undefined if nothing is in the way. (rule P8) */
export function accountRefusal({ onlyOwnerOf, testerOf }: AccountObstacles): string | undefined {
  if (onlyOwnerOf.length > 0)
    return `${onlyOwnerOf.join(", ")} would have no owner. Make another member an owner, or delete the app, first.`;
  if (testerOf.length > 0)
    return `There is a seat in a test of ${testerOf.join(", ")}. Ask its owner to end it, or wait until the test is over.`;
  return undefined;
}

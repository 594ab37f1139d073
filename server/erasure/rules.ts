/** What can prevent the erasure of a person. */
interface Obstacles {
  /** Whether the address belongs to the person who asks for the erasure. */
  readonly own: boolean;
  /** The apps of which the person is a member. */
  readonly memberOf: readonly string[];
  /** The apps in whose tests the person has a slot, except tests that are over. */
  readonly testerOf: readonly string[];
}

/**
 * Returns a sentence that says why a person cannot be erased now, or undefined if this is possible. (rule P5)
 */
export function erasureRefusal({ own, memberOf, testerOf }: Obstacles): string | undefined {
  if (own) return "This is your own address. To delete your account, go to Your account.";
  if (memberOf.length > 0)
    return `This person is a member of ${memberOf.join(", ")}. Remove the member first.`;
  if (testerOf.length > 0)
    return `This person tests ${testerOf.join(", ")} now. Remove the tester, or wait until the test is over.`;
  return undefined;
}

/** What can prevent the deletion of an account. */
interface AccountObstacles {
  /** The apps of which the person is the only owner. */
  readonly onlyOwnerOf: readonly string[];
  /** The apps in whose tests the person has a slot, except tests that are over. */
  readonly testerOf: readonly string[];
}

/**
 * Returns a sentence that says why an account cannot be deleted now, or undefined if this is possible. (rule P8)
 */
export function accountRefusal({ onlyOwnerOf, testerOf }: AccountObstacles): string | undefined {
  if (onlyOwnerOf.length > 0)
    return `${onlyOwnerOf.join(", ")} would have no owner. Make another member an owner, or delete the app, first.`;
  if (testerOf.length > 0)
    return `This account has a slot in a test of ${testerOf.join(", ")}. Ask an owner of that app to remove the tester, or wait until the test is over.`;
  return undefined;
}

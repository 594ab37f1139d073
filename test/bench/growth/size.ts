/** The size of a set of data. */
export interface Size {
  readonly name: string;
  readonly threads: number;
  readonly cycles: number;
  readonly testSessions: number;
}

/** A cycle has the same number of test sessions in both sets, so that the page of a cycle has the same length. */
const sessionsOfCycle = 2_000;

export function sizeOf(threads: number): Size {
  const cycles = Math.max(10, threads / 1_000);
  const name =
    threads >= 1_000_000
      ? `${threads / 1_000_000}m`
      : threads >= 1_000
        ? `${threads / 1_000}k`
        : String(threads);
  return { name, threads, cycles, testSessions: cycles * sessionsOfCycle };
}

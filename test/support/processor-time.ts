/** Measures the processor time of this process in milliseconds. Other programs on the machine do not add to it. */
export function processorTime(): () => number {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
}

import { onTestFinished, vi } from "vitest";

/** Stops the clock of `performance.now` until the test has finished. Returns the function that lets time pass. */
export function stopMeasuredTime(): (milliseconds: number) => void {
  let now = performance.now();
  const spy = vi.spyOn(performance, "now").mockImplementation(() => now);
  onTestFinished(() => spy.mockRestore());
  return (milliseconds) => {
    now += milliseconds;
  };
}

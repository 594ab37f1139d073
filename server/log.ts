import { type DestinationStream, type Logger, pino } from "pino";

/**
 * Makes the log, which consists of JSON lines. An error is logged by name, message, code and stack, without other
 * values.
 */
export const createLog = (level: string, destination: DestinationStream): Logger =>
  pino(
    { level, serializers: { err: describeError }, formatters: { level: (label) => ({ level: label }) } },
    destination,
  );

function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  const code = "code" in error ? String(error.code) : undefined;
  const cause = error.cause === undefined || depth > 3 ? undefined : describeError(error.cause, depth + 1);
  return { name: error.name, message: error.message, code, stack: error.stack, cause };
}

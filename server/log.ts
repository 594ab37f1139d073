import { type DestinationStream, type Logger, pino } from "pino";

/**
 * Creates the log, with one JSON object per line. Errors have only name, message, code, stack and cause.
 * (rule K10)
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

/** The standard fields of a log line. They are not shown as `name=value`. */
const usual = new Set(["level", "time", "pid", "hostname", "msg", "err"]);

/** Returns a log line for a terminal. For an answer below status 500, returns an empty text. */
export function readableLine(line: string): string {
  const entry: Record<string, unknown> = JSON.parse(line);
  const { level, time, msg, err } = entry;
  if (msg === "answered" && Number(entry.status) < 500) return "";
  const facts = Object.entries(entry).filter(([name]) => !usual.has(name));
  const words = [
    new Date(Number(time)).toISOString().slice(11, 19),
    String(level).padEnd(5),
    String(msg ?? ""),
    // Values are shown as JSON, so that a text from a request cannot send control characters to the terminal.
    ...facts.map(([name, value]) => `${name}=${JSON.stringify(value)}`),
    ...(err === undefined ? [] : [JSON.stringify(Object(err).message)]),
  ];
  return `${words.join(" ")}\n`;
}

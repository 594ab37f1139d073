/**
 * How many milliseconds of one turn of the event loop long work may use. After this time, long work waits, so
 * that other requests run.
 */
const longTurn = 5;

/** The time at which long work began in this turn. Undefined if there was no long work. */
let began: number | undefined;

/** The callbacks with which waiting long work continues. */
const waiting: (() => void)[] = [];

/**
 * Call this before each piece of long work. If the time of this turn is used up, the promise waits for a later turn.
 */
export async function waitIfTurnIsLong(): Promise<void> {
  if (began === undefined) begin();
  else if (performance.now() - began > longTurn) await new Promise<void>((resolve) => waiting.push(resolve));
}

/** Call this before long work that cannot be divided. Its time then counts in this turn of the event loop. */
export function noteLongWork(): void {
  if (began === undefined) begin();
}

function begin(): void {
  began = performance.now();
  // Two callbacks are needed. The event loop may call the first one still in this turn, after it has read from
  // connections.
  setImmediate(() => setImmediate(end));
}

function end(): void {
  began = undefined;
  const next = waiting.shift();
  if (next === undefined) return;
  begin();
  next();
}

/**
 * The number of milliseconds that long work may take in one turn of the event loop. Long work is a computation that
 * could delay other requests. After this time, it waits for a later turn.
 */
const longTurn = 5;

/** The time at which long work began in this turn. Undefined if there was no long work. */
let began: number | undefined;

/** The callbacks with which waiting long work continues. */
const waiting: (() => void)[] = [];

/**
 * Long work calls this before each of its pieces. If long work has already used its time in this turn of the event
 * loop, this waits until other waiting long work has run. Other requests are answered in the meantime.
 */
export async function waitIfTurnIsLong(): Promise<void> {
  if (began === undefined) begin();
  else if (performance.now() - began > longTurn) await new Promise<void>((resolve) => waiting.push(resolve));
}

/**
 * Long work that cannot be divided calls this before it begins. Then its time counts in this turn of the event loop.
 */
export function noteLongWork(): void {
  if (began === undefined) begin();
}

function begin(): void {
  began = performance.now();
  // Two callbacks are needed. The first callback can still belong to this turn of the event loop, because the loop
  // calls it after it has read from connections.
  setImmediate(() => setImmediate(end));
}

function end(): void {
  began = undefined;
  const next = waiting.shift();
  if (next === undefined) return;
  begin();
  next();
}

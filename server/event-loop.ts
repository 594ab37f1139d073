/** The milliseconds that long work may use in one turn of the event loop. Afterwards, other requests run. */
const longTurn = 5;

/** The time at which long work began in this turn. Undefined if there was no long work. */
let began: number | undefined;

/** The callbacks with which waiting long work continues. */
const waiting: (() => void)[] = [];

/** Call this before each piece of long work. Waits if the time of this turn is used up. */
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
  // The first callback may run in this turn, after the loop has read from connections. The second one runs in
  // the next turn.
  setImmediate(() => setImmediate(end));
}

function end(): void {
  began = undefined;
  const next = waiting.shift();
  if (next === undefined) return;
  begin();
  next();
}

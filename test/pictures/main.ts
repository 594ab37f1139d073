import { drawConsole } from "./console/draw-console.ts";
import { drawTerminal } from "./terminal/draw-terminal.ts";

// Draws the pictures of the documentation again: `npm run pictures`, or only those of `console` or `terminal`.
const drawings = {
  console: () => drawConsole("docs/pictures/console"),
  terminal: () => drawTerminal("docs/pictures"),
};
const wanted = process.argv[2];
for (const [name, draw] of Object.entries(drawings)) {
  if (wanted === undefined || wanted === name) await draw();
}

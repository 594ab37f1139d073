import type { Context, GlobalFlags, Sink } from "./context.ts";

const styles = { bold: [1, 22], dim: [2, 22], red: [31, 39], yellow: [33, 39], green: [32, 39] } as const;
type Style = keyof typeof styles;

export type Painter = (style: Style, text: string) => string;

/** Styles text, unless the sink shows no colour: `--color`, NO_COLOR, FORCE_COLOR and the terminal decide. */
export function painter(context: Context, flags: GlobalFlags, sink: Sink): Painter {
  if (!showsColor(context, flags, sink)) return (_style, text) => text;
  return (style, text) => `\u001b[${styles[style][0]}m${text}\u001b[${styles[style][1]}m`;
}

function showsColor({ env }: Context, { color }: GlobalFlags, sink: Sink): boolean {
  if (color === "always") return true;
  if (color === "never" || color === false) return false;
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== "0";
  return sink.isTerminal && env.TERM !== "dumb";
}

/** The colours of a terminal. The names are those of its sixteen colours, by their numbers. */
export interface Theme {
  readonly name: "light" | "dark";
  readonly background: string;
  readonly text: string;
  readonly colours: readonly string[];
}

const light = ["#24292f", "#b3261e", "#176639", "#8a5a00", "#1f5fa8", "#7b3fa0", "#0f6b73", "#57606a"];
const dark = ["#6e7681", "#ff8a80", "#7ee2a0", "#f2cc60", "#79b8ff", "#d2a8ff", "#7fdbe6", "#e6edf3"];

export const themes: readonly Theme[] = [
  { name: "light", background: "#ffffff", text: "#1f2328", colours: [...light, ...light] },
  { name: "dark", background: "#0d1117", text: "#e6edf3", colours: [...dark, ...dark] },
];

/** Returns a page with the lines of a terminal. The lines contain codes for colours. */
export function terminalPage(screen: string, { background, text, colours }: Theme): string {
  return `<!doctype html><meta charset="utf-8"><body style="margin:0;background:${background};color:${text}">
<pre style="font:14px/1.35 'DejaVu Sans Mono',monospace;margin:0;padding:16px;display:inline-block">${coloured(screen, colours)}</pre>`;
}

interface Style {
  readonly bold: boolean;
  readonly faint: boolean;
  readonly inverse: boolean;
  readonly colour: number | undefined;
}

const plain: Style = { bold: false, faint: false, inverse: false, colour: undefined };

const start = String.fromCharCode(27);
/** It splits a line into texts and codes for colours. */
const edge = new RegExp(`(${start}\\[[\\d;]*m)`);
const colourCode = new RegExp(`^${start}\\[([\\d;]*)m$`);

function coloured(screen: string, colours: readonly string[]): string {
  let style = plain;
  return screen
    .split(edge)
    .map((part) => {
      const codes = colourCode.exec(part)?.[1];
      if (codes === undefined) return `<span style="${cssOf(style, colours)}">${escaped(part)}</span>`;
      style = codes.split(";").reduce((before, code) => styled(before, Number(code)), style);
      return "";
    })
    .join("");
}

function styled(style: Style, code: number): Style {
  if (code === 0) return plain;
  if (code === 1) return { ...style, bold: true };
  if (code === 2) return { ...style, faint: true };
  if (code === 7) return { ...style, inverse: true };
  if (code === 22) return { ...style, bold: false, faint: false };
  if (code === 27) return { ...style, inverse: false };
  if (code === 39) return { ...style, colour: undefined };
  if (code >= 30 && code < 38) return { ...style, colour: code - 30 };
  if (code >= 90 && code < 98) return { ...style, colour: code - 82 };
  return style;
}

const cssOf = ({ bold, faint, inverse, colour }: Style, colours: readonly string[]): string =>
  [
    bold ? "font-weight:bold" : "",
    faint ? "opacity:.65" : "",
    inverse ? "filter:invert(1);background:#fff;color:#000" : "",
    colour === undefined ? "" : `color:${colours[colour]}`,
  ]
    .filter(Boolean)
    .join(";");

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

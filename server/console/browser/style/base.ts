import { dark, light, propertiesOf } from "../colours.ts";

/** The type scale, the colours and the plain elements. */
export const base = `
:root {
  color-scheme: light dark;
  --small: 0.8125rem; --body: 0.9375rem; --large: 1.125rem; --title: 1.5rem; --display: 2rem;
  --gap: 1rem; --radius: 10px; --radius-small: 7px;
  --mono: ui-monospace, "SF Mono", SFMono-Regular, Menlo, Consolas, "Liberation Mono", "DejaVu Sans Mono", monospace;
  ${propertiesOf(light)}
}
@media (prefers-color-scheme: dark) { :root { ${propertiesOf(dark)} } }

*, *::before, *::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; scroll-padding-top: 1.5rem; }
body {
  margin: 0; min-height: 100vh; background: var(--ground); color: var(--text);
  font: 400 var(--body) / 1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  overflow-wrap: anywhere;
}
h1, h2, h3, p, ul, ol, dl, dd, figure, fieldset { margin: 0; padding: 0; }
ul, ol { list-style: none; }
h1, h2, h3 { line-height: 1.25; letter-spacing: -0.012em; font-weight: 640; text-wrap: balance; }
p { text-wrap: pretty; }
h1 { font-size: var(--title); }
h2 { font-size: var(--large); }
h2 + p.muted { margin-top: 0.35rem; }
h3 { font-size: var(--body); letter-spacing: 0; }
fieldset { border: 0; min-width: 0; }
a { color: var(--accent); text-underline-offset: 0.2em; text-decoration-thickness: 1px; }
a:hover { color: var(--accent-strong); text-decoration-thickness: 2px; }
code { font: 0.92em / 1.5 var(--mono); }
img, video { max-width: 100%; display: block; }
time { white-space: nowrap; }
html:has(.decision-bar) { scroll-padding-bottom: 6rem; }
[hidden] { display: none !important; }
hr { border: 0; border-top: 1px solid var(--line); margin: 0; }

:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
main:focus, .notice:focus, .timeline-at:focus { outline: none; }
.skip { position: absolute; left: 1rem; top: -4rem; z-index: 9; padding: 0.6rem 1rem; background: var(--surface); color: var(--text); border: 1px solid var(--border); border-radius: var(--radius-small); }
.skip:focus { top: 0.75rem; }
.unseen { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.muted { color: var(--muted); }
.small { font-size: var(--small); }
.stack { display: grid; gap: var(--gap); align-content: start; }
.stack > * { min-width: 0; }
.wide { gap: 2rem; }
.wide > .head { margin-bottom: 0; }
.tight { gap: 0.4rem; }
.row { display: flex; flex-wrap: wrap; gap: 0.5rem 0.75rem; align-items: center; }
.row.spread { justify-content: space-between; }
.row > * { min-width: 0; }
.row:empty { display: none; }
@media (prefers-reduced-motion: no-preference) { a, button, .button, input, select, textarea { transition: background-color 0.12s, border-color 0.12s, color 0.12s; } }
@media print { .top, .composer, .aside form, .skip { display: none; } }
`;

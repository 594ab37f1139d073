import { light, propertiesOf } from "../colours.ts";

/** The report of a cycle, on a screen and on paper. */
export const cycleReport = `
.paper { max-width: 60rem; margin: 2.25rem auto 4rem; padding: 2.25rem 2.75rem 2.5rem; background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius); }
.paper .back { margin-bottom: 0; }
.paper h1 { font-size: var(--display); letter-spacing: -0.02em; }
.paper .claim { max-width: 44rem; line-height: 1.65; }
.paper .facts { border-radius: var(--radius-small); }
.paper .facts dd { font-size: var(--body); }
.paper .facts > div { padding-inline: 0.8rem; }
.paper table th, .paper table td { padding: 0.4rem 0.55rem; vertical-align: middle; }
.paper table th:first-child, .paper table td:first-child { padding-left: 0.8rem; }
.paper table th:last-child, .paper table td:last-child { padding-right: 0.8rem; }
.paper .figure { text-align: right; font-variant-numeric: tabular-nums; }
.paper tbody th { color: var(--text); font-weight: 620; font-variant-numeric: tabular-nums; }
.paper td.fit { white-space: nowrap; }
.paper .wide-column { width: 55%; }
.paper tr.removed td, .paper tr.removed th { color: var(--muted); }
.bar-of-day { display: block; width: 100%; height: 0.6rem; }
.bar-of-day .ground { fill: var(--sunken); }
.bar-of-day .filled { fill: var(--accent); }

@media (max-width: 40rem) { .paper { margin: 0; padding: 1.25rem 1rem 2rem; border: 0; border-radius: 0; } }
@media print {
  :root { color-scheme: light; ${propertiesOf(light)} }
  @page { margin: 16mm 14mm; }
  body:has(.paper) { background: none; font-size: 10pt; }
  .paper .unprinted { display: none; }
  .paper { max-width: none; margin: 0; padding: 0; border: 0; gap: 1.25rem; }
  .paper .scroll { overflow: visible; }
  .paper .facts { grid-template-columns: repeat(5, 1fr); }
  .paper .facts > div { padding: 0.5rem 0.7rem; }
  .paper .facts dd, .paper .facts dt { font-size: 9pt; }
  .paper table, .paper .badge { font-size: 8pt; }
  .paper table th, .paper table td { padding: 0.22rem 0.35rem; }
  .paper .scroll th { font-size: 7.5pt; }
  .paper tr, .paper .facts { break-inside: avoid; }
  .paper section { break-inside: auto; }
  .paper h2 { break-after: avoid; }
  .bar-of-day, .badge, .facts, progress { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
`;

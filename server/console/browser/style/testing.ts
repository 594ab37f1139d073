/** Closed testing: the figures of a cycle, and its grid of slots and days with the evidence beside it. */
export const testing = `
.stack > div:empty { display: none; }
a.plain { color: inherit; text-decoration: none; }
a.plain:hover { color: inherit; text-decoration: underline; }
.tabs a .count { margin-left: 0.4rem; }
.names { display: flex; flex-wrap: wrap; gap: 0.3rem; }
.names li { padding: 0.05rem 0.5rem; border-radius: 6px; background: var(--sunken); color: var(--text); font-size: var(--small); }

.columns.three { grid-template-columns: repeat(auto-fit, minmax(min(9rem, 100%), 1fr)); }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius); overflow: hidden; }
.facts > div { padding: 0.9rem 1.25rem 1rem; box-shadow: -1px -1px 0 var(--line); }
.facts dt { color: var(--muted); font-size: var(--small); font-weight: 540; }
.facts dd { font-size: var(--large); font-weight: 620; letter-spacing: -0.012em; line-height: 1.35; }
.facts dd time { white-space: normal; }
.facts .aside-note { display: block; color: var(--muted); font-size: var(--small); font-weight: 400; letter-spacing: 0; }
progress { appearance: none; display: block; width: 100%; height: 6px; margin-top: 0.45rem; border: 0; border-radius: 99px; background: var(--sunken); overflow: hidden; }
progress::-webkit-progress-bar { background: var(--sunken); }
progress::-webkit-progress-value { background: var(--accent); border-radius: 99px; }
progress::-moz-progress-bar { background: var(--accent); border-radius: 99px; }

.requests > li { padding: 0.85rem 1.25rem; border-top: 1px solid var(--line); }
.requests > li:first-child { border-top: 0; }
.proposal.awaiting > .requests { padding-block: 0.15rem; }

.board { display: grid; grid-template-columns: minmax(0, 1fr) 20rem; gap: 1.25rem; align-items: start; }
.days { position: relative; isolation: isolate; }
.days table { width: 100%; }
.days th, .days td { padding: 0; text-align: center; vertical-align: middle; border-top: 1px solid var(--line); font-size: var(--small); }
.days thead th { border-top: 0; padding: 0.5rem 0 0.4rem; line-height: 1.25; color: var(--text); font-weight: 620; font-variant-numeric: tabular-nums; }
.days thead th.seat, .days thead th.sum { color: var(--muted); font-weight: 560; vertical-align: bottom; }
.days .weekday { display: block; color: var(--muted); font-weight: 400; font-size: 0.6875rem; }
.days .today { background: var(--sunken); }
.days th.today { color: var(--accent); box-shadow: inset 0 2px 0 var(--accent); }
.days .seat { position: sticky; left: 0; z-index: 1; width: 12rem; min-width: 12rem; max-width: 12rem; background: var(--surface); text-align: left; font-weight: 400; box-shadow: 1px 0 0 var(--line); }
.days thead th.seat { padding-left: 0.9rem; }
.days .seat a { display: flex; gap: 0.6rem; align-items: center; padding: 0.4rem 0.6rem 0.4rem 0.9rem; color: var(--text); text-decoration: none; }
.days .seat a:hover, .days .seat a[aria-current] { background: var(--sunken); }
.days .seat .number { flex: none; min-width: 1.25rem; font-weight: 640; font-variant-numeric: tabular-nums; text-align: right; }
.days .holder { min-width: 0; display: grid; line-height: 1.35; }
.days .who, .days .state { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.days .state { color: var(--muted); font-size: 0.75rem; }
.days .state.at_risk { color: var(--danger); font-weight: 560; }
.days .state.requested { color: var(--attention); font-weight: 560; }
.days td { min-width: 2.25rem; width: 2.25rem; height: 2.9rem; }
.days td > a { display: grid; place-items: center; width: 100%; height: 2.75rem; border-radius: 6px; }
.days td > a:hover .mark { box-shadow: 0 0 0 2px var(--border); }
.days td > a:focus-visible { outline-offset: -2px; }
.days td > a[aria-current] .mark { box-shadow: 0 0 0 2px var(--surface), 0 0 0 4px var(--text); }
.days td > .mark { margin-inline: auto; }
.days .sum { min-width: 3rem; padding-inline: 0.5rem; font-weight: 620; font-variant-numeric: tabular-nums; }
.days .removed .who, .days .removed .number, .days .removed .sum { color: var(--muted); font-weight: 400; }
.days .removed .who { text-decoration: line-through; }
.days .removed .mark { background: none; color: var(--muted); box-shadow: inset 0 0 0 1px var(--line); }
.days .removed .mark.none, .days .removed .mark.ahead { box-shadow: none; }
.days .removed td > a:hover .mark { box-shadow: 0 0 0 2px var(--border); }
.days .removed td > a[aria-current] .mark { box-shadow: 0 0 0 2px var(--surface), 0 0 0 4px var(--text); }

.mark { display: grid; place-items: center; flex: none; width: 1.625rem; height: 1.625rem; border-radius: 6px; }
.mark svg { width: 1.05rem; height: 1.05rem; }
.mark.session { background: var(--accent); color: var(--on-accent); }
.mark.proof { background: var(--accent-soft); color: var(--on-accent-soft); box-shadow: inset 0 0 0 1.5px var(--accent); }
.mark.missed { background: var(--danger-soft); color: var(--danger); box-shadow: inset 0 0 0 1.5px var(--danger); border-radius: 50%; }
.mark.open { background: var(--attention-soft); color: var(--attention); border: 1.5px dashed var(--attention-line); }
.mark.ahead, .mark.none { color: var(--muted); }
.mark.ahead svg { stroke-width: 3; }
.legend { display: flex; flex-wrap: wrap; gap: 0.35rem 1.1rem; color: var(--muted); font-size: var(--small); padding-top: 0.35rem; }
.legend li { display: flex; align-items: center; gap: 0.4rem; }
.legend .mark { width: 1.25rem; height: 1.25rem; border-radius: 5px; }
.legend .mark.missed { border-radius: 50%; }
.legend .mark svg { width: 0.85rem; height: 0.85rem; }

.evidence { position: sticky; top: 1.25rem; max-height: calc(100vh - 2.5rem); overflow-y: auto; padding: 1.25rem; scroll-margin-block: 1.25rem; }
.evidence h3 { font-size: var(--small); color: var(--muted); font-weight: 580; padding-top: 0.6rem; border-top: 1px solid var(--line); }
.evidence .pairs { grid-template-columns: minmax(4.75rem, auto) 1fr; gap: 0.35rem 0.9rem; }
.evidence time { white-space: normal; }
.evidence .files { grid-template-columns: repeat(2, 1fr); gap: 0.5rem; margin-top: 0.35rem; }
.evidence .files img { height: 9rem; }
.evidence .lightbox img { height: 100%; }
.evidence h2 + .muted { margin-top: -0.75rem; }
.verdict { display: flex; gap: 0.6rem; align-items: center; }
.why { padding: 0.65rem 0.8rem; border-radius: var(--radius-small); background: var(--sunken); }

@media (max-width: 64rem) { .board { grid-template-columns: minmax(0, 1fr); } .evidence { position: static; max-height: none; } }
@media (max-width: 40rem) {
  .facts { grid-template-columns: 1fr 1fr; }
  .facts > div:last-child:nth-child(odd) { grid-column: 1 / -1; }
  .facts > div { padding: 0.75rem 1rem 0.85rem; }
  .facts dd { font-size: var(--body); }
  .days .seat { width: 8.25rem; min-width: 8.25rem; max-width: 8.25rem; }
  .days .seat a { padding-inline: 0.6rem 0.4rem; gap: 0.45rem; }
  .days thead th.seat { padding-left: 0.6rem; }
  .days .state { white-space: normal; }
  .requests > li { padding-inline: 1rem; }
}
`;

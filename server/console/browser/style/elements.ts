/** Cards, lists, badges, tables and user text. */
export const elements = `
.card { background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius); padding: 1.5rem; }
.card.fresh { border-color: var(--accent); box-shadow: 0 0 0 3px var(--accent-soft); }
.list { background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius); }
.list > li { position: relative; padding: 1rem 1.25rem; border-top: 1px solid var(--line); }
.list > li:first-child { border-top: 0; border-radius: var(--radius) var(--radius) 0 0; }
.list > li:last-child { border-radius: 0 0 var(--radius) var(--radius); }
.list > li:only-child { border-radius: var(--radius); }
.list.linked > li:hover { background: var(--sunken); }
.list .to { color: var(--text); font-weight: 580; text-decoration: none; }
.list .to::after { content: ""; position: absolute; inset: 0; border-radius: inherit; }
.list .to:hover { color: var(--text); }
.list .to:focus-visible { outline: none; }
.list .to:focus-visible::after { outline: 2px solid var(--accent); outline-offset: -2px; border-radius: var(--radius-small); }
.list .over { position: relative; z-index: 1; }
.list p.under { color: var(--muted); font-size: var(--small); margin-top: 0.25rem; }
.list p.under + form { margin-top: 0.6rem; }
.under { display: flex; flex-wrap: wrap; margin-left: -1.1rem; clip-path: inset(0 0 0 1.1rem); }
.under > * { position: relative; padding-left: 1.1rem; }
.under > *::before { content: "·"; position: absolute; left: 0.4rem; }
.list > .unread .to { font-weight: 700; }
.list > .unread .to::before { content: ""; display: inline-block; width: 0.5rem; height: 0.5rem; margin-right: 0.5rem; border-radius: 50%; background: var(--accent); }
.list .last { margin-top: 0.2rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.list .last b { font-weight: 560; }
.changes { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 0.5rem 1rem; margin-bottom: 1rem; padding: 0.6rem 1rem; background: var(--accent-soft); color: var(--on-accent-soft); border-radius: var(--radius-small); }
.changes a { color: inherit; }
.mark-all { margin-top: 1rem; }
.clip { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; }

.badge { display: inline-flex; align-items: center; gap: 0.4rem; padding: 0.1rem 0.55rem; border-radius: 99px; background: var(--sunken); color: var(--muted); font-size: var(--small); font-weight: 540; line-height: 1.5; white-space: nowrap; }
.head .badge { box-shadow: inset 0 0 0 1px var(--line); max-width: 100%; white-space: normal; overflow-wrap: anywhere; }
.badge.good { background: var(--accent-soft); color: var(--on-accent-soft); }
.badge.attention { background: var(--attention-soft); color: var(--attention); }
.badge.bad { background: var(--danger-soft); color: var(--danger); }
.badge.attention::before { content: ""; width: 0.45rem; height: 0.45rem; border-radius: 50%; background: var(--attention-line); }
.badge.tag { max-width: 100%; white-space: normal; overflow-wrap: anywhere; }
.badge.tag::before { content: ""; flex: none; width: 0.6rem; height: 0.6rem; border-radius: 50%; background: #868e96; }
.badge.tag.red::before { background: #e5484d; }
.badge.tag.orange::before { background: #f76b15; }
.badge.tag.yellow::before { background: #d9a300; }
.badge.tag.green::before { background: #30a46c; }
.badge.tag.blue::before { background: #3b82f6; }
.badge.tag.purple::before { background: #8e4ec6; }
.badge.tag.pink::before { background: #d6409f; }
.chosen { display: inline-flex; align-items: center; gap: 0.3rem; text-decoration: none; }
.tags { flex-wrap: wrap; gap: 0.35rem; }
.tags > li { gap: 0; }
.count { display: inline-grid; place-items: center; min-width: 1.35rem; height: 1.35rem; padding: 0 0.4rem; border-radius: 99px; background: var(--attention-soft); color: var(--attention); font-size: var(--small); font-weight: 640; }

.empty { text-align: center; padding: 3.5rem 1.5rem; background: var(--surface); border: 1px dashed var(--line); border-radius: var(--radius); }
.empty svg { width: 2.75rem; height: 2.75rem; color: var(--muted); margin-bottom: 0.9rem; }
.empty p { color: var(--muted); max-width: 30rem; margin: 0.4rem auto 0; }
.empty .actions { justify-content: center; margin-top: 1.25rem; }

.filters { display: flex; flex-wrap: wrap; gap: 0.75rem 1rem; align-items: center; justify-content: space-between; margin-bottom: 1rem; }
.pills { display: flex; gap: 0.2rem; overflow-x: auto; scrollbar-width: none; max-width: 100%; padding: 3px; margin: -3px; }
.pills a { padding: 0.4rem 0.8rem; border-radius: 99px; color: var(--muted); text-decoration: none; white-space: nowrap; font-weight: 520; }
.pills a:hover { background: var(--sunken); color: var(--text); }
.pills a[aria-current] { background: var(--text); color: var(--ground); }
.filter-form { margin-bottom: 1.25rem; }
.inbox-links { margin-top: 1.25rem; }
.search { display: flex; flex-wrap: wrap; gap: 0.5rem; flex: 1 1 18rem; min-width: 0; max-width: 30rem; }
.search input { flex: 1 1 10rem; min-width: 0; }
.filters > search { flex: 1 1 18rem; min-width: 0; max-width: 30rem; }
.search select { width: auto; min-width: 0; flex: 0 1 auto; max-width: 15rem; }
.search input ~ select { flex-shrink: 0; }
.pager { display: flex; justify-content: space-between; gap: 1rem; margin-top: 1.25rem; }

.written { white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: plaintext; tab-size: 4; overflow: clip; overflow-clip-margin: 2px; line-height: 1.6; }
.written.exact { font: 0.875rem / 1.65 var(--mono); }
.hidden-mark { display: inline-block; padding: 0 0.25rem; margin: 0 1px; border-radius: 4px; background: var(--attention-soft); color: var(--attention); font: 600 0.75em / 1.5 var(--mono); white-space: nowrap; unicode-bidi: isolate; direction: ltr; user-select: none; }

.pairs { display: grid; grid-template-columns: fit-content(50%) minmax(0, 1fr); gap: 0.5rem 1rem; font-size: var(--small); }
.pairs dt { color: var(--muted); }
.pairs dd { min-width: 0; }
.pairs dd time { white-space: normal; }
.pairs > div { display: grid; grid-template-columns: subgrid; grid-column: 1 / -1; }
.pairs > .long { grid-template-columns: minmax(0, 1fr); gap: 0.1rem; }
.rest > summary { margin-top: 0.25rem; }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: var(--radius); background: var(--surface); }
table { border-collapse: collapse; width: 100%; font-size: var(--small); }
th { text-align: left; color: var(--muted); font-weight: 560; }
th, td { padding: 0.7rem 1rem; border-top: 1px solid var(--line); vertical-align: top; overflow-wrap: normal; }
thead th { border-top: 0; }
td.fit { white-space: nowrap; }

.markdown { line-height: 1.65; }
.markdown > * + * { margin-top: 0.8rem; }
.markdown ul, .markdown ol { padding-left: 1.4rem; list-style: disc; }
.markdown ol { list-style: decimal; }
.markdown pre { overflow-x: auto; background: var(--sunken); padding: 0.8rem 1rem; border-radius: var(--radius-small); }
.markdown blockquote { margin-inline: 0; padding-left: 1rem; border-left: 3px solid var(--line); color: var(--muted); }
.markdown h1, .markdown h2 { font-size: var(--large); }
.markdown h3, .markdown h4, .markdown h5, .markdown h6 { font-size: var(--body); }
.markdown table { width: auto; }
.markdown th, .markdown td { padding: 0.35rem 0.7rem; border: 1px solid var(--line); }

.faq { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 1rem; }
.faq:target { background: var(--accent-soft); scroll-margin-block: 6rem; }
.faq:focus { outline: none; }
.moves { display: flex; align-items: start; }
.moves button { min-width: 2.125rem; padding: 0.25rem; }
.pair { display: grid; grid-template-columns: 9.5rem minmax(0, 1fr); gap: 0.5rem; }
.maker:has(#kind-agent:checked) .for-scripts, .maker:has(#kind-maintainer:checked) .for-agents,
.editor:has(#bodyFormat-items:checked) .as-text, .editor:has(#bodyFormat-markdown:checked) .as-list { display: none; }

@media (forced-colors: active) {
  .pills a[aria-current], .panel a[aria-current], .days td > a[aria-current] { forced-color-adjust: none; background: Highlight; color: HighlightText; }
  .badge, .count, .hidden-mark, .mark { border: 1px solid; }
  .cards .choice:has(:checked) { border: 2px solid Highlight; }
  progress::-webkit-progress-value { forced-color-adjust: none; background: Highlight; }
}
@media (max-width: 40rem) {
  .pills { flex-wrap: wrap; }
  .card { padding: 1.1rem; }
  .list > li { padding: 0.9rem 1rem; }
  .search, .filters > search { max-width: none; }
  .search { flex-wrap: wrap; }
  .search input { flex: 1 1 0; }
  .search input:has(~ select) { flex-basis: 100%; }
  .search select, .search input ~ select { flex: 1 1 0; max-width: none; }
  .search input ~ select.more { flex: 1 0 100%; }
  table.stacked thead { display: none; }
  table.stacked tr { display: block; padding: 0.7rem 1rem; border-top: 1px solid var(--line); }
  table.stacked tr:first-child { border-top: 0; }
  table.stacked td { display: block; border: 0; padding: 0.1rem 0; }
  td.fit { white-space: normal; }
  .pair { grid-template-columns: 7.5rem minmax(0, 1fr); }
}
`;

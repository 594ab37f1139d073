/** The page of the API. */
export const docs = `
.operation { background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius-small); scroll-margin-top: 1rem; }
.operation > summary { display: flex; flex-wrap: wrap; gap: 0.25rem 0.75rem; align-items: baseline; padding: 0.65rem 0.9rem; cursor: pointer; list-style: none; min-height: 2.75rem; }
.operation > summary::-webkit-details-marker { display: none; }
.operation > summary:hover { background: var(--sunken); }
.operation > summary code { overflow-wrap: anywhere; font-weight: 560; }
.operation > .inside { padding: 1rem; border-top: 1px solid var(--line); }
.operation h3 { color: var(--muted); font-size: var(--small); font-weight: 580; }
.method { flex: none; min-width: 3.75rem; font: 640 0.75rem / 1.6 var(--mono); color: var(--accent); }
.method:not(.get) { color: var(--attention); }
.method.delete { color: var(--danger); }
.api-fields { display: grid; gap: 0.35rem; font-size: var(--small); }
.api-fields > div { display: grid; grid-template-columns: minmax(8rem, 14rem) minmax(0, 1fr); gap: 0 1rem; }
.api-fields dt { overflow-wrap: anywhere; }
.code { margin: 0; overflow-x: auto; max-height: 28rem; background: var(--sunken); padding: 0.8rem 1rem; border-radius: var(--radius-small); font: 0.8125rem / 1.55 var(--mono); white-space: pre; overflow-wrap: normal; }
.try { border-top: 1px solid var(--line); padding-top: 1rem; }
.try textarea { font: 0.875rem / 1.55 var(--mono); }
label.field > span { font-weight: 580; }
label.field > :is(input, textarea) { font-weight: 400; }
#docs-count:empty { display: none; }
@media (max-width: 40rem) { .api-fields > div { grid-template-columns: minmax(0, 1fr); } }
`;

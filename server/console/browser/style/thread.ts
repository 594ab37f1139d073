/** A thread: the conversation on the left, the facts on the right, and the proposal on top. */
export const thread = `
.thread { display: grid; grid-template-columns: minmax(0, 1fr) 18rem; gap: 2rem; align-items: start; }
.thread > .stack > section + section { margin-top: 1rem; }
.answering { margin-bottom: 1rem; color: var(--muted); font-size: var(--small); }
.answering::before { content: ""; display: inline-block; width: 0.5rem; height: 0.5rem; margin-right: 0.5rem; border-radius: 50%; background: var(--accent); }
.aside { display: grid; gap: 1.75rem; font-size: var(--small); }
.aside h2 { font-size: var(--small); color: var(--muted); font-weight: 580; letter-spacing: 0; margin-bottom: 0.6rem; }
.aside .field { gap: 0.25rem; }
.aside input, .aside select { min-height: 2.25rem; padding-block: 0.35rem; font-size: var(--body); }
.aside > * + * { border-top: 1px solid var(--line); padding-top: 1.5rem; }
.message { background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius); }
.message > header { display: flex; flex-wrap: wrap; gap: 0.25rem 0.75rem; justify-content: space-between; padding: 0.75rem 1.25rem; border-bottom: 1px solid var(--line); font-size: var(--small); color: var(--muted); }
.message > header b { color: var(--text); font-weight: 600; }
.message > .inside { padding: 1.1rem 1.25rem; display: grid; gap: 1rem; }
.message.note { background: var(--sunken); border-color: transparent; }
.message.note > header { border-color: var(--line); }
.message.outbound > header { background: var(--accent-soft); border-radius: var(--radius) var(--radius) 0 0; color: var(--on-accent-soft); border-color: transparent; }
.message.outbound > header b { color: inherit; }
.event { display: flex; flex-wrap: wrap; gap: 0.25rem 0.6rem; align-items: baseline; font-size: var(--small); color: var(--muted); padding: 0.1rem 1.25rem; }
.files { display: grid; grid-template-columns: repeat(auto-fill, minmax(9rem, 1fr)); gap: 0.75rem; }
.files img, .files video { width: 100%; height: 12rem; object-fit: contain; border-radius: var(--radius-small); border: 1px solid var(--line); background: var(--sunken); }
.thumb { display: block; width: 100%; min-height: 0; padding: 0; border: 0; background: none; cursor: zoom-in; }
.thumb:hover img { border-color: var(--border); }
.lightbox { width: 100%; height: 100%; max-width: none; max-height: none; margin: 0; padding: 1rem; border: 0; background: var(--ground); color: var(--text); overflow: auto; }
.lightbox:popover-open { display: grid; grid-template-rows: minmax(0, 1fr) auto; gap: 1rem; }
.lightbox img { width: 100%; height: 100%; min-height: 0; object-fit: contain; border: 0; background: none; }
.lightbox .actions { justify-content: center; }
.files .film { grid-column: 1 / -1; }
.files .film video { height: auto; max-height: 24rem; object-fit: contain; }
.papers { display: flex; flex-wrap: wrap; gap: 0.5rem; }
.papers a { display: inline-flex; gap: 0.5rem; align-items: baseline; padding: 0.4rem 0.75rem; border: 1px solid var(--line); border-radius: var(--radius-small); text-decoration: none; color: var(--text); }
.papers a:hover { border-color: var(--border); }

.proposal { background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius); }
.proposal.awaiting { border-color: var(--attention-line); box-shadow: 0 0 0 3px var(--attention-soft); }
.proposal > header { display: flex; flex-wrap: wrap; align-items: center; gap: 0.4rem 0.75rem; padding: 1rem 1.25rem; border-bottom: 1px solid var(--line); }
.proposal > header .when { margin-left: auto; color: var(--muted); font-size: var(--small); }
.proposal > .inside { padding: 1.25rem; display: grid; gap: 1.1rem; }
.proposal h3 { color: var(--muted); font-size: var(--small); font-weight: 580; margin-bottom: 0.35rem; }
.proposal .plan { background: var(--sunken); border-radius: var(--radius-small); padding: 1rem 1.1rem; }
.proposal .fingerprint { color: var(--muted); font-size: var(--small); margin-top: 0.5rem; overflow-wrap: anywhere; }
.proposal .asked-for { margin-bottom: 0.75rem; }
.difference { background: var(--sunken); border-radius: var(--radius-small); padding: 0.6rem 0; margin-top: 0.5rem; list-style: none; }
.difference > li { display: grid; grid-template-columns: 1.4rem minmax(0, 1fr); padding: 0.05rem 1.1rem 0.05rem 0.6rem; border-left: 4px solid transparent; }
.difference > li > .written { grid-column: 2; min-height: 1.45rem; }
.difference .sign { font: 640 0.875rem / 1.65 var(--mono); user-select: none; }
.difference > .added { background: var(--accent-soft); border-color: var(--accent); color: var(--on-accent-soft); }
.difference > .removed { background: var(--danger-soft); border-color: var(--danger); color: var(--danger); }
.difference > .removed > .written { text-decoration: line-through; text-decoration-thickness: 1px; }
.difference > .left-out { display: block; color: var(--muted); font-size: var(--small); padding-left: 2rem; }
.work { border-top: 1px solid var(--line); padding-top: 1.1rem; }
.steps { display: grid; gap: 0.6rem; list-style: none; }
.proposal .decide { border-top: 1px solid var(--line); padding: 1.25rem; display: grid; gap: 1rem; }
.proposal .decision-bar { position: sticky; bottom: 0; z-index: 2; padding: 0.9rem 1.25rem; background: var(--surface); border-top: 1px solid var(--line); border-radius: 0 0 var(--radius) var(--radius); }
.proposal .decide:has(+ .decision-bar) { padding-bottom: 1rem; }
.proposal.earlier > summary { padding: 0.75rem 1.25rem; cursor: pointer; display: flex; flex-wrap: wrap; gap: 0.35rem 0.75rem; align-items: center; list-style: none; }
.proposal.earlier > summary::-webkit-details-marker { display: none; }
.proposal.earlier > summary .when { margin-left: auto; color: var(--muted); font-size: var(--small); }
.proposal.earlier[open] > summary { border-bottom: 1px solid var(--line); }
li:target > .message { border-color: var(--accent); box-shadow: 0 0 0 3px var(--accent-soft); }
.new-mark { display: flex; align-items: center; gap: 0.75rem; color: var(--accent); font-size: var(--small); font-weight: 600; scroll-margin-block: 5rem; }
.new-mark::before, .new-mark::after { content: ""; flex: 1; border-top: 1px solid var(--accent); }
.quote { border-left: 3px solid var(--line); padding-left: 0.9rem; }
.composer { display: grid; gap: 1rem; }

@media (max-width: 60rem) { .thread { grid-template-columns: minmax(0, 1fr); } .aside { grid-row: 2; } }
@media (max-width: 40rem) {
  .message > header, .message > .inside, .proposal > header, .proposal > .inside, .proposal .decide, .proposal .decision-bar { padding-inline: 1rem; }
  .proposal .decision-bar button { flex: 1 1 0; }
  .proposal > header .when { margin-left: 0; flex-basis: 100%; }
}
`;

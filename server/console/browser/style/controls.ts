/** Buttons, fields, notices and faults. */
export const controls = `
button, .button {
  display: inline-flex; align-items: center; justify-content: center; gap: 0.45rem; min-height: 2.5rem; padding: 0.45rem 0.95rem;
  border: 1px solid var(--border); border-radius: var(--radius-small); background: var(--surface); color: var(--text);
  font: inherit; font-weight: 560; line-height: 1.3; text-decoration: none; cursor: pointer; white-space: nowrap;
}
button:hover, .button:hover { background: var(--sunken); color: var(--text); }
button.primary, .button.primary { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
button.primary:hover, .button.primary:hover { background: var(--accent-strong); border-color: var(--accent-strong); color: var(--on-accent); }
button.danger { color: var(--danger); border-color: var(--danger); }
button.danger:hover { background: var(--danger); color: var(--on-danger); }
button.quiet, .button.quiet { border-color: transparent; background: none; color: var(--muted); padding-inline: 0.6rem; }
button.quiet:hover, .button.quiet:hover { background: var(--sunken); color: var(--text); }
button.small, .button.small { min-height: 2.125rem; padding: 0.25rem 0.7rem; font-size: var(--small); }
button[disabled] { opacity: 0.55; cursor: default; }

label, legend, .label { display: block; font-weight: 580; padding: 0; }
legend { margin-bottom: 0.4rem; }
.field { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.35rem; align-content: start; }
.hint { color: var(--muted); font-size: var(--small); font-weight: 400; }
input, select, textarea {
  width: 100%; min-height: 2.5rem; padding: 0.5rem 0.7rem; border: 1px solid var(--border); border-radius: var(--radius-small);
  background: var(--surface); color: var(--text); font: inherit; font-size: 1rem; line-height: 1.45;
}
textarea { min-height: 7rem; resize: vertical; display: block; field-sizing: content; max-height: 70vh; }
textarea.short { min-height: 4.5rem; }
textarea.line { min-height: 2.5rem; }
textarea.tall { min-height: 16rem; }
select { appearance: none; padding-right: 2.1rem; background-image: linear-gradient(45deg, transparent 50%, var(--muted) 50%), linear-gradient(-45deg, transparent 50%, var(--muted) 50%); background-position: right 1.05rem center, right 0.75rem center; background-size: 0.32rem 0.32rem; background-repeat: no-repeat; }
input:hover, select:hover, textarea:hover { border-color: var(--text); }
input:focus-visible, select:focus-visible, textarea:focus-visible { outline-offset: 0; border-color: var(--accent); border-radius: var(--radius-small); }
[aria-invalid="true"] { border-color: var(--danger); }
::placeholder { color: var(--muted); opacity: 1; }
.fault { color: var(--danger); font-size: var(--small); font-weight: 520; }

input[type="checkbox"], input[type="radio"] { width: 1.1rem; height: 1.1rem; min-height: 0; margin: 0.2rem 0 0; accent-color: var(--accent); flex: none; }
.choice { display: flex; gap: 0.65rem; align-items: flex-start; font-weight: 400; cursor: pointer; padding: 0.2rem 0; }
.choice b { font-weight: 580; display: block; }
.cards { display: grid; gap: 0.75rem; grid-template-columns: repeat(auto-fit, minmax(min(15rem, 100%), 1fr)); }
.cards .choice { border: 1px solid var(--line); border-radius: var(--radius-small); padding: 0.8rem 0.9rem; }
.cards .choice:hover { border-color: var(--border); }
.cards .choice:has(:checked) { border-color: var(--accent); background: var(--accent-soft); color: var(--on-accent-soft); }
.cards .choice:has(:checked) .hint { color: inherit; }
.columns { display: grid; gap: var(--gap); grid-template-columns: repeat(auto-fit, minmax(min(14rem, 100%), 1fr)); align-items: start; }
.columns.many { grid-template-columns: repeat(auto-fit, minmax(min(8.75rem, 100%), 1fr)); }
.brief { max-width: 22rem; }
.actions { display: flex; flex-wrap: wrap; gap: 0.6rem; align-items: center; }

.notice { padding: 0.75rem 1rem; border-radius: var(--radius-small); background: var(--accent-soft); color: var(--on-accent-soft); margin-bottom: 1.5rem; }
.stack > .notice, .inside > .notice, .decide > .notice { margin-bottom: 0; }
.notice.alert { background: var(--danger-soft); color: var(--text); box-shadow: inset 3px 0 0 var(--danger); }
.notice.attention { background: var(--attention-soft); color: var(--text); box-shadow: inset 3px 0 0 var(--attention-line); }
html:has(:target):has(main > .notice[data-done]) { scroll-padding-top: 7rem; }
html:has(:target) main > .notice[data-done] { position: sticky; top: 0.5rem; z-index: 3; box-shadow: 0 0 0 0.5rem var(--ground); }
.notice b { font-weight: 620; }
.notice ul { margin-top: 0.35rem; padding-left: 1.1rem; list-style: disc; }

details.reveal > summary { cursor: pointer; color: var(--muted); font-weight: 520; padding: 0.35rem 0; width: fit-content; list-style: none; }
details.reveal > summary::-webkit-details-marker { display: none; }
details.reveal > summary::before { content: ""; display: inline-block; width: 0.4rem; height: 0.4rem; margin: 0 0.55rem 0.1rem 0.15rem; border: solid; border-width: 0 1.5px 1.5px 0; transform: rotate(-45deg); }
details.reveal[open] > summary::before { transform: rotate(45deg); margin-bottom: 0.2rem; }
details.reveal > summary:hover { color: var(--text); }
details.reveal.danger > summary { color: var(--danger); }
.list details.reveal > summary { font-size: var(--small); margin-top: 0.25rem; }
details.reveal > :not(summary) { margin-top: 0.75rem; }

.secret { display: flex; gap: 0.6rem; align-items: center; flex-wrap: wrap; }
.secret input { flex: 1 1 16rem; font: var(--body) / 1.5 var(--mono); background: var(--surface); }
`;

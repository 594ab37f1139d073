/** The frame of every page: the bar above, the tabs of an app and the main column. */
export const layout = `
.top { background: var(--surface); border-bottom: 1px solid var(--line); }
.bar, .tabs ul, .middle { width: 100%; max-width: 72rem; margin: 0 auto; padding-inline: 1.5rem; }
.bar { display: flex; align-items: center; gap: 0.35rem; min-height: 3.75rem; }
.brand { display: inline-flex; align-items: center; gap: 0.6rem; color: var(--text); font-weight: 680; font-size: 1.0625rem; letter-spacing: -0.02em; text-decoration: none; padding: 0.35rem 0; }
.brand:hover { color: var(--text); }
.brand svg { width: 1.5rem; height: 1.5rem; flex: none; }
.bar .slash { color: var(--muted); font-weight: 300; font-size: 1.25rem; padding: 0 0.15rem 0 0.5rem; }
.bar .end { margin-left: auto; display: flex; align-items: center; gap: 0.25rem; }

.menu { position: relative; min-width: 0; }
.bar .end { flex: none; }
.bar .end > a { white-space: nowrap; }
.menu > summary .name { min-width: 0; }
.menu > summary, .bar .end > a {
  display: flex; align-items: center; gap: 0.45rem; padding: 0.45rem 0.65rem; border-radius: var(--radius-small);
  color: var(--text); text-decoration: none; cursor: pointer; list-style: none; font-weight: 520; min-height: 2.5rem;
}
.bar .end > a[aria-current] { font-weight: 640; }
.menu > summary::-webkit-details-marker { display: none; }
.menu > summary:hover, .bar .end > a:hover, .menu[open] > summary { background: var(--sunken); }
.menu > summary .name { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; max-width: 15rem; }
.menu > summary::after { content: ""; flex: none; width: 0.4rem; height: 0.4rem; margin: -0.2rem 0.1rem 0; border: solid var(--muted); border-width: 0 1.5px 1.5px 0; transform: rotate(45deg); }
.avatar { display: grid; place-items: center; width: 1.75rem; height: 1.75rem; border-radius: 50%; background: var(--accent-soft); color: var(--on-accent-soft); font-size: var(--small); font-weight: 640; }
.menu > .panel {
  position: absolute; z-index: 5; top: calc(100% + 0.35rem); left: 0; min-width: 15rem; max-width: min(22rem, calc(100vw - 2rem)); padding: 0.4rem;
  background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius); box-shadow: 0 12px 32px var(--shadow), 0 2px 6px var(--shadow);
  max-height: 70vh; overflow-y: auto;
}
.menu.right > .panel { left: auto; right: 0; }
.panel a, .panel button.plain { display: block; width: 100%; padding: 0.5rem 0.65rem; border-radius: 6px; color: var(--text); text-decoration: none; text-align: left; font: inherit; border: 0; background: none; cursor: pointer; }
.panel a:hover, .panel button.plain:hover { background: var(--sunken); }
.panel a[aria-current] { font-weight: 620; background: var(--accent-soft); color: var(--on-accent-soft); }
.panel .who { padding: 0.45rem 0.65rem 0.6rem; color: var(--muted); font-size: var(--small); border-bottom: 1px solid var(--line); margin-bottom: 0.4rem; }
.panel .apart { border-top: 1px solid var(--line); margin-top: 0.4rem; padding-top: 0.4rem; }

.tabs ul { display: flex; gap: 1.5rem; overflow-x: auto; scrollbar-width: none; }
.tabs a { display: block; padding: 0.55rem 0 0.75rem; color: var(--muted); text-decoration: none; border-bottom: 2px solid transparent; white-space: nowrap; }
.tabs a:hover { color: var(--text); }
.tabs a[aria-current] { color: var(--text); font-weight: 600; border-color: var(--accent); }
.tabs a:focus-visible { outline-offset: -2px; }

.middle { padding-block: 2.25rem 5rem; }
.middle.narrow { max-width: 50rem; }
.head { display: flex; flex-wrap: wrap; align-items: flex-start; justify-content: space-between; gap: 0.75rem 1.5rem; margin-bottom: 1.5rem; }
.head > div { min-width: 0; flex: 1 1 20rem; }
.head p { color: var(--muted); margin-top: 0.35rem; max-width: 44rem; }
.back { display: inline-flex; align-items: center; gap: 0.4rem; color: var(--muted); font-size: var(--small); text-decoration: none; margin-bottom: 0.9rem; padding: 0.2rem 0; }
.walk { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0.25rem 1rem; margin-bottom: 0.5rem; }
.walk .back { margin-bottom: 0; }
.back:hover { color: var(--text); }

.alone { min-height: 100vh; display: grid; place-items: center; align-content: center; gap: 1.75rem; padding: 2rem 1.25rem 4rem; }
.alone > * { width: 100%; max-width: 24rem; }
.alone .brand { justify-content: center; font-size: 1.25rem; }
.alone .brand svg { width: 2rem; height: 2rem; }

@media (max-width: 40rem) {
  .bar, .tabs ul, .middle { padding-inline: 1rem; }
  .middle { padding-block: 1.5rem 4rem; }
  .bar .word, .bar .slash { display: none; }
  .menu > summary .name { max-width: 9rem; }
  .brand, .bar .end { flex: none; }
  .brand { margin-right: 0.15rem; }
  .menu.right > summary::after { display: none; }
  .tabs ul { gap: 0 0.8rem; flex-wrap: wrap; overflow: visible; }
  .tabs a { font-size: 0.875rem; }
  h1 { font-size: 1.3125rem; }
}
@media (max-width: 22rem) {
  .bar { gap: 0; }
  .menu > summary, .bar .end > a { padding-inline: 0.4rem; }
}
`;

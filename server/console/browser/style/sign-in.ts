/** The pages on which a person signs a device in. */
export const deviceSignIn = `
.alone:has(.approval) > * { max-width: 29rem; }
.asked { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 0.6rem 1.25rem; align-items: baseline; }
.asked dt { color: var(--muted); font-size: var(--small); }
.asked .row { gap: 0 0.75rem; }
.asked .quiet { min-height: 0; padding: 0; color: var(--accent); text-decoration: underline; text-underline-offset: 0.2em; text-decoration-thickness: 1px; }
.asked .quiet:hover { background: none; color: var(--accent-strong); }
.approval h2 { font-size: var(--body); }
.granted { display: grid; gap: 0.3rem; }
.granted > li { position: relative; padding-left: 1.4rem; }
.granted > li::before { content: ""; position: absolute; left: 0.25rem; top: 0.4rem; width: 0.3rem; height: 0.6rem; border: solid var(--accent); border-width: 0 2px 2px 0; transform: rotate(45deg); }
.choice-of-two button { flex: 1 1 8rem; }
textarea.code { font: 600 var(--body) / 1.6 var(--mono); min-height: 0; resize: none; overflow-wrap: anywhere; word-break: break-all; }
`;

/** The pages that set up a second factor. */
export const secondFactor = `
.qr { display: block; width: min(14.5rem, 100%); height: auto; border-radius: var(--radius); }
.codes { display: grid; grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); gap: 0.5rem 2rem; padding-left: 2rem; list-style: decimal; }
`;

/** The pages that set up a second factor. */
export const secondFactor = `
.qr { display: block; width: min(14.5rem, 100%); height: auto; border-radius: var(--radius); }
.codes { display: grid; grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); gap: 0.5rem 2rem; padding-left: 2rem; list-style: decimal; }
`;

/** One piece of text under a heading of ours. */
export interface Section {
  readonly heading: string;
  readonly text: string;
}

/**
 * Sections as plain text that no section can escape from: every boundary carries the nonce, and text that went through
 * the sanitiser of the same nonce cannot hold it.
 */
export const fence = (nonce: string, title: string, sections: readonly Section[]): string =>
  [
    `--- ${nonce} ${title} begins ---`,
    ...sections.flatMap(({ heading, text }) => [`--- ${nonce} ${heading} ---`, text]),
    `--- ${nonce} ${title} ends ---`,
  ].join("\n");

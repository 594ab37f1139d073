/** One piece of text under a heading of ours. */
export interface Section {
  readonly heading: string;
  readonly text: string;
}

/**
 * Sections as plain text that no section can escape from: every boundary carries the nonce, and text that went through
 * the sanitiser of the same nonce cannot hold it.
 */
export const fence = (nonce: string, title: string, sections: readonly Section[], line = "---"): string =>
  [
    `${line} ${nonce} ${title} begins ${line}`,
    ...sections.flatMap(({ heading, text }) => [`${line} ${nonce} ${heading} ${line}`, text]),
    `${line} ${nonce} ${title} ends ${line}`,
  ].join("\n");

/** The same for what people of the team wrote or decided: nothing of the public's stands between such lines. */
export const teamFence = (nonce: string, title: string, sections: readonly Section[]): string =>
  fence(nonce, title, sections, "===");

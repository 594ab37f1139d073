/** A text under one of our headings. */
export interface Section {
  readonly heading: string;
  readonly text: string;
}

/**
 * Sections as plain text. No section can end its own fence: every boundary carries the nonce, and text from the
 * sanitiser of the same nonce cannot hold it.
 */
type Fence = (nonce: string, title: string, sections: readonly Section[]) => string;

const fencedBy =
  (line: string): Fence =>
  (nonce, title, sections) =>
    [
      `${line} ${nonce} ${title} begins ${line}`,
      ...sections.flatMap(({ heading, text }) => [`${line} ${nonce} ${heading} ${line}`, text]),
      `${line} ${nonce} ${title} ends ${line}`,
    ].join("\n");

/** For text of the public. */
export const fence = fencedBy("---");

/** For text of the team. No text of strangers stands between these lines. */
export const teamFence = fencedBy("===");

/** Returns the text whose SHA-256, in hex, is the `pushedHash` of an entry. Texts of entries never contain NUL. (rule C21) */
export const hashedFaqText = ({
  question,
  answer,
}: {
  readonly question: string;
  readonly answer: string;
}): string => `${question}\0${answer}`;

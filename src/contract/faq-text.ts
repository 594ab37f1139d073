/** The text whose SHA-256, in hex, is the `pushedHash` of an entry. No text of an entry has a NUL. (rule C21) */
export const hashedFaqText = ({
  question,
  answer,
}: {
  readonly question: string;
  readonly answer: string;
}): string => `${question}\0${answer}`;

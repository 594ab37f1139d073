/** A picture of the command line: the typed text, and a text that shows that the command has ended. */
export interface Scene {
  readonly name: string;
  readonly command: string;
  readonly shows: RegExp;
}

/** A prompt on the last line. */
const ended = /\n\$\s*$/;

export const scenes: readonly Scene[] = [
  { name: "feedback-list", command: "innkeep feedback list", shows: ended },
  { name: "feedback-inbox", command: "innkeep feedback inbox", shows: /Crash when/ },
  { name: "faq-list", command: "innkeep faq list", shows: ended },
  { name: "doctor", command: "innkeep doctor", shows: ended },
  { name: "error", command: "innkeep faq view no-such-id", shows: ended },
];

/** What a form says if it was not done. */
export interface NotDone {
  /** The word for it in an address and in the hidden fields of a kept form. Forms with the same sentence share it. */
  readonly word: string;
  readonly notDone: string;
}

/** The sentences after a form, by the words in the address. Anybody can write an address, so no other text is shown. */
export interface Notices {
  readonly done: ReadonlyMap<string, string>;
  readonly notDone: ReadonlyMap<string, NotDone>;
}

/** For a form that saves what a person has changed. */
export const changed = { changed: "The changes are saved." } as const;
export const changesNotSaved: NotDone = { word: "change", notDone: "Your changes were not saved." };

/** What the next page says after something that is no form of a person who is signed in. */
const doneElsewhere = {
  connected: "You can sign in with it from now on.",
  "password-set": "Your new password is set. Sign in with it.",
  "account-created": "Your account is ready.",
} as const;
export type DoneElsewhere = keyof typeof doneElsewhere;

interface FormWords extends NotDone {
  readonly done: Readonly<Record<string, string | null>>;
}

/** All sentences of the forms. Throws if a word has two. */
export function noticesOf(forms: readonly FormWords[]): Notices {
  const done = new Map<string, string>(Object.entries(doneElsewhere));
  const notDone = new Map<string, NotDone>();
  for (const form of forms) {
    for (const [word, notice] of Object.entries(form.done)) if (notice !== null) add(done, word, notice);
    const ended = `Your session had ended. ${form.notDone} Do it again if you still want it.`;
    add(done, notDoneWord(form), ended);
    notDone.set(form.word, form);
  }
  return { done, notDone };
}

function add(notices: Map<string, string>, word: string, notice: string): void {
  if ((notices.get(word) ?? notice) !== notice) throw new Error(`The word "${word}" has two sentences.`);
  notices.set(word, notice);
}

/** The word for the notice that a form was not done because the session had ended. */
export const notDoneWord = ({ word }: NotDone): string => `not-done-${word}`;

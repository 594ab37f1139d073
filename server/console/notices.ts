/** The notice on the next page if the action of a sent form was not done. */
export interface NotDone {
  /** The word for this notice in the address of a page. Forms with the same notice have the same word. */
  readonly word: string;
  readonly notDone: string;
}

/**
 * The notices after a form, by word. An address contains only the word, because anybody can write an address.
 */
export interface Notices {
  readonly done: ReadonlyMap<string, string>;
  readonly notDone: ReadonlyMap<string, NotDone>;
}

/** The notice for a form that saves changed fields. */
export const changed = { changed: "The changes are saved." } as const;
export const changesNotSaved: NotDone = { word: "change", notDone: "Your changes were not saved." };

/** The notices after a sign-in at an identity provider. These notices do not follow a form of the console. */
const doneElsewhere = {
  connected: "The sign-in method is added. You can use it from now on.",
} as const;
export type DoneElsewhere = keyof typeof doneElsewhere;

interface WithDone {
  readonly done: Readonly<Record<string, string | null>>;
}

/** Collects the notices of all forms. Throws if the same word has two different notices. */
export function noticesOf(forms: readonly (WithDone & NotDone)[], openForms: readonly WithDone[]): Notices {
  const done = new Map<string, string>(Object.entries(doneElsewhere));
  const notDone = new Map<string, NotDone>();
  for (const form of [...forms, ...openForms])
    for (const [word, notice] of Object.entries(form.done)) if (notice !== null) add(done, word, notice);
  for (const form of forms) {
    const ended = `Your session had ended. ${form.notDone} If you still want this, do it again.`;
    add(done, notDoneWord(form), ended);
    notDone.set(form.word, form);
  }
  return { done, notDone };
}

function add(notices: Map<string, string>, word: string, notice: string): void {
  if ((notices.get(word) ?? notice) !== notice) throw new Error(`The word "${word}" has two notices.`);
  notices.set(word, notice);
}

/** Returns the word for the notice that the action of a form was not done because the session had ended. */
export const notDoneWord = ({ word }: NotDone): string => `not-done-${word}`;

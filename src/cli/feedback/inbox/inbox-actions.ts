import {
  closed,
  type FiledStatus,
  filedAway,
  moved,
  opened,
  restored,
  says,
  selectedThread,
} from "./inbox-state.ts";
import type { Inbox } from "./state.ts";

// A change shows at once, and is taken back if the server refuses it. Nothing here decides on a proposal. (rule L54)

export function move(inbox: Inbox, by: number): void {
  inbox.set(moved(inbox.state(), by));
  void inbox.readAhead();
}

/** Reads the selected thread and shows it. */
export async function openThread(inbox: Inbox): Promise<void> {
  const thread = selectedThread(inbox.state());
  if (!thread) return;
  inbox.set(says(inbox.state(), "Reading…"));
  try {
    const read = await inbox.calls.read(thread.id);
    const isSelected = selectedThread(inbox.state())?.id === thread.id;
    if (!isSelected) return;
    inbox.set(opened(says(inbox.state(), ""), read));
    // A token that may only read marks nothing. The thread is read all the same.
    if (thread.unread) void inbox.calls.markRead(thread.id).catch(() => undefined);
  } catch (error) {
    inbox.problem(error);
  }
}

/** Files the selected thread away. In a thread the next one opens. */
export function file(inbox: Inbox, status: FiledStatus): void {
  const state = inbox.state();
  const thread = selectedThread(state);
  if (!thread) return;
  const said = `Filed as ${status}: ${thread.subject}. u undoes it.`;
  inbox.set(says(closed(filedAway(state, thread.id)), said));
  const filed = inbox.state().filed.at(-1);
  inbox.after(async () => {
    try {
      await inbox.calls.change(thread.id, { status });
    } catch (error) {
      if (filed) inbox.set(restored(inbox.state(), filed));
      throw error;
    }
  });
  if (state.reading) void openNext(inbox);
  void inbox.readAhead();
}

/** Shows the next thread, and what was said before it. */
async function openNext(inbox: Inbox): Promise<void> {
  const { said } = inbox.state();
  await openThread(inbox);
  const state = inbox.state();
  if (!state.said.isProblem) inbox.set({ ...state, said });
}

/** Puts the thread that was filed away last back into the list, with the status that it had. */
export function undo(inbox: Inbox): void {
  const state = inbox.state();
  const filed = state.filed.at(-1);
  if (!filed) {
    inbox.set(says(state, "There is nothing to undo."));
    return;
  }
  const { id, subject, status } = filed.thread;
  inbox.set(says(closed(restored(state, filed)), `Back in the list: ${subject}`));
  inbox.after(async () => {
    try {
      await inbox.calls.change(id, { status });
    } catch (error) {
      inbox.set(filedAway(inbox.state(), id));
      throw error;
    }
  });
}

/** Opens the thread in the console, where a person decides on its proposal. */
export function openConsole(inbox: Inbox): void {
  const address = inbox.state().reading?.feedback.consoleUrl;
  if (address === undefined) inbox.set(says(inbox.state(), "Open a thread first, with Enter."));
  else inbox.calls.open(address).then(() => inbox.set(says(inbox.state(), address)), inbox.problem);
}

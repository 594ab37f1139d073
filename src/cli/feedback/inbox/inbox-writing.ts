import { ServerError } from "../../../client/errors.ts";
import type { OwnedThread } from "../../../contract/threads.ts";
import { deliveryWords } from "../../../words/delivery.ts";
import { newestMessageIn } from "../newest-message.ts";
import { openThread } from "./inbox-actions.ts";
import { says, selectedThread, type Writing, write } from "./inbox-state.ts";
import type { Inbox, InboxCalls } from "./state.ts";

/**
 * Starts a reply, a note or the address of an issue for the selected thread, which is shown. Keys belong to the text at once,
 * also while the thread is read: they must not file threads away.
 */
export async function startWriting(inbox: Inbox, kind: Writing["kind"]): Promise<void> {
  if (!selectedThread(inbox.state()) && !inbox.state().reading) return;
  inbox.set(write(inbox.state(), kind));
  if (!inbox.state().reading) await openThread(inbox);
  const state = inbox.state();
  if (state.writing?.kind !== kind || state.writing.text !== "") return;
  if (!state.reading) inbox.set({ ...state, writing: undefined });
  else if (kind === "issue") inbox.set(write(state, kind, state.reading.feedback.githubIssueUrl ?? ""));
}

/** Sends what was written. A reply waits for a second call, because it cannot be taken back. */
export function submit(inbox: Inbox): void {
  const state = inbox.state();
  const { writing, reading } = state;
  if (!writing) return;
  if (!reading) {
    // The text waits until the thread is there.
    void openThread(inbox);
    return;
  }
  const fault = faultOf(writing);
  if (fault !== undefined) inbox.set(says(state, fault, true));
  else if (writing.kind === "reply" && !writing.isSure)
    inbox.set({ ...says(state, sureText), writing: { ...writing, isSure: true } });
  else {
    inbox.set({ ...says(state, "Sending…"), writing: undefined });
    inbox.after(() => sendWritten(inbox, reading, writing));
  }
}

const sureText = "The sender gets this. Enter sends it, Esc stops.";

async function sendWritten(inbox: Inbox, thread: OwnedThread, writing: Writing): Promise<void> {
  const { id } = thread.feedback;
  const isOpen = () => inbox.state().reading?.feedback.id === id;
  let said: string;
  try {
    said = await sent(inbox.calls, thread, writing);
  } catch (error) {
    const isAnswered = error instanceof ServerError && error.code === "answered";
    // The newer message is shown. The next time it counts as read.
    const newer = isAnswered ? await inbox.calls.read(id).catch(() => undefined) : undefined;
    // The text is not lost.
    if (isOpen())
      inbox.set({
        ...inbox.state(),
        ...(newer && { reading: newer }),
        writing: { ...writing, isSure: false },
      });
    throw isAnswered ? new Error(`Nothing was sent. ${error.message}`) : error;
  }
  // It has arrived: if the thread cannot be read now, nothing must be sent again.
  const reading = await inbox.calls.read(id).catch(() => undefined);
  inbox.set(says(reading && isOpen() ? { ...inbox.state(), reading } : inbox.state(), said));
}

function faultOf({ kind, text }: Writing): string | undefined {
  const given = text.trim();
  if (kind !== "issue") return given === "" ? "There is no text yet." : undefined;
  const isAddress = URL.canParse(given) && /^https?:$/.test(new URL(given).protocol);
  return given === "" || isAddress ? undefined : "An issue is a web address, such as https://github.com/…";
}

async function sent(
  calls: InboxCalls,
  { feedback: { id }, messages }: OwnedThread,
  { kind, text }: Writing,
): Promise<string> {
  const given = text.trim();
  if (kind === "issue") {
    await calls.change(id, { githubIssueUrl: given === "" ? null : given });
    return given === "" ? "The issue is no longer linked." : "The issue is linked.";
  }
  if (kind === "note") {
    await calls.send(id, { direction: "note", body: given });
    return "The note is there.";
  }
  const reply = { direction: "outbound", body: given, expectedMessageId: newestMessageIn(messages) } as const;
  const { delivery } = await calls.send(id, reply);
  return ["The reply was sent.", ...(delivery ? deliveryWords(delivery) : [])].join(" ");
}

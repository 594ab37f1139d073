import { createSanitiser, newNonce } from "../../../src/words/fence.ts";
import type { Deps } from "../../deps.ts";
import { loadImages } from "../../feedback/images.ts";
import { readThread } from "../../feedback/read-thread.ts";
import { imageUri, structuredThread } from "../../feedback/thread-answer.ts";
import { threadPageOf } from "../../feedback/thread-page.ts";
import type { ThreadParts } from "../../feedback/thread-parts.ts";
import { threadText } from "../../feedback/thread-text.ts";
import { messageNumberIn } from "../forms.ts";
import { feedbackIdOf } from "../ids.ts";
import { type Call, runOf, type ToolAnswer } from "../run-tool.ts";
import { readFeedback as definition, type ReadFeedbackInput, type ReadFeedbackOutput } from "./definition.ts";

export const readFeedbackRun = runOf(definition, readFeedback);

export async function readFeedback(
  input: ReadFeedbackInput,
  deps: Deps,
  call: Call,
): Promise<ToolAnswer<ReadFeedbackOutput>> {
  const { messages_before: given } = input;
  const before = given === undefined ? undefined : messageNumberIn(given);
  const thread = await readThread(feedbackIdOf(input.feedback), deps, call.signal);
  const nonce = newNonce();
  const images = input.include_images ? await loadImages(thread.images, deps, call.signal) : [];
  const structured = structuredThread(thread, threadPageOf(thread, before, input.max_chars), {
    baseUrl: deps.baseUrl,
    sanitiser: createSanitiser(nonce),
    images,
  });
  return {
    structured,
    text: threadText(nonce, structured),
    beside: [...imageLinks(thread), ...images.flatMap(({ image }) => image ?? [])],
  };
}

const imageLinks = (thread: ThreadParts) =>
  thread.images.map((_, index) => ({
    type: "resource_link" as const,
    uri: imageUri(thread.id, index),
    name: `image ${index} of the feedback`,
  }));

import { createSanitiser, newNonce } from "../../src/words/fence.ts";
import type { Deps } from "../deps.ts";
import { messageNumberIn } from "../forms.ts";
import { feedbackIdOf } from "../ids.ts";
import { readThread } from "../read-thread.ts";
import type { ThreadParts } from "../thread.ts";
import { threadPageOf } from "../thread-page.ts";
import { type Call, runOf, type ToolAnswer } from "../tool.ts";
import { loadImages } from "./images.ts";
import {
  readFeedback as definition,
  type ReadFeedbackInput,
  type ReadFeedbackOutput,
} from "./read-feedback.ts";
import { imageUri, structuredThread } from "./thread-answer.ts";
import { threadText } from "./thread-text.ts";

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

import { h } from "preact";
import type { ThreadFeedback } from "../../src/contract/agent.ts";
import { versionOf } from "./forms.tsx";
import { Line } from "./parts.tsx";
import { fileSize } from "./times.tsx";

/** The images, videos and attachments of a report. */
export const Files = ({
  of: { images, videos, attachments },
}: {
  readonly of: Pick<ThreadFeedback, "images" | "videos" | "attachments">;
}) => (
  <>
    {(images.length > 0 || videos.length > 0) && (
      <ul class="files" aria-label="Images and videos">
        {images.map((url, at) => (
          <li key={url}>
            <Picture url={url} alt={`From the sender, ${at + 1} of ${images.length}`} />
          </li>
        ))}
        {videos.map((url, at) => (
          <li key={url} class="film">
            <Video url={url} label={`Video ${at + 1} of ${videos.length}`} />
          </li>
        ))}
      </ul>
    )}
    {attachments.length > 0 && (
      <ul class="papers" aria-label="Attachments">
        {attachments.map(({ url, name, mediaType, size }) => (
          <li key={url}>
            <a href={url} download title="The browser saves the file. It does not open it on this page.">
              <Line text={name} /> <span class="muted small">{`${kindOf(mediaType)}${fileSize(size)}`}</span>
            </a>
          </li>
        ))}
      </ul>
    )}
  </>
);

const kindOf = (mediaType: string): string => (mediaType === "application/pdf" ? "PDF, " : "");

/** A video without captions, because senders do not record captions. */
const Video = ({ url, label }: { readonly url: string; readonly label: string }) =>
  h("video", { src: url, controls: true, preload: "metadata", "aria-label": label });

/** A small image. A click opens the image in full size. A script adds more buttons. */
export const Picture = ({ url, alt }: { readonly url: string; readonly alt: string }) => {
  const id = `picture-${versionOf(url)}`;
  return (
    <>
      {h(
        "button",
        { type: "button", class: "thumb", popovertarget: id, "aria-label": `Open: ${alt}` },
        <img src={url} alt={alt} loading="lazy" />,
      )}
      {h(
        "div",
        { class: "lightbox", id, popover: "auto", role: "dialog", "aria-label": alt },
        <div class="view">
          <img src={url} alt={`${alt}, in full`} loading="lazy" />
        </div>,
        <div class="actions">
          <Turn by="-1" arrow="ArrowLeft" word="Previous" />
          <span class="place muted" hidden />
          <Turn by="1" arrow="ArrowRight" word="Next" />
          <button type="button" data-zooms aria-pressed="false" hidden>
            100 %
          </button>
          {h("button", { type: "button", popovertarget: id, popovertargetaction: "hide" }, "Close")}
          <a class="button" href={url} download>
            Download
          </a>
        </div>,
      )}
    </>
  );
};

/** The button for the previous or the next image. A script shows the button. An arrow key does the same. */
const Turn = ({
  by,
  arrow,
  word,
}: {
  readonly by: "-1" | "1";
  readonly arrow: "ArrowLeft" | "ArrowRight";
  readonly word: string;
}) => (
  <button type="button" data-turns={by} data-arrow={arrow} aria-keyshortcuts={arrow} hidden>
    {word}
  </button>
);

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
            <Picture url={url} among={images} alt={`From the sender, ${at + 1} of ${images.length}`} />
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
        {attachments.map(({ url, name, size }) => (
          <li key={url}>
            <a href={url} download>
              <Line text={name} /> <span class="muted small">{fileSize(size)}</span>
            </a>
          </li>
        ))}
      </ul>
    )}
  </>
);

/** A video. It has no captions, because senders record none. */
const Video = ({ url, label }: { readonly url: string; readonly label: string }) =>
  h("video", { src: url, controls: true, preload: "metadata", "aria-label": label });

/** A small image. A click opens it in full size; Escape closes it. A script moves to the next and previous image. */
export const Picture = ({
  url,
  among,
  alt,
}: {
  readonly url: string;
  /** The images of the same list. */
  readonly among: readonly string[];
  readonly alt: string;
}) => {
  const id = pictureId(url);
  const at = among.indexOf(url);
  return (
    <>
      {h(
        "button",
        { type: "button", class: "thumb", popovertarget: id, "aria-label": `Open: ${alt}` },
        <img src={url} alt={alt} loading="lazy" />,
      )}
      {h(
        "div",
        { class: "lightbox", id, popover: "auto" },
        <img src={url} alt={`${alt}, in full`} loading="lazy" />,
        <div class="actions">
          <Turn to={among[at - 1]} arrow="ArrowLeft" word="Previous" />
          <Turn to={among[at + 1]} arrow="ArrowRight" word="Next" />
          {h("button", { type: "button", popovertarget: id, popovertargetaction: "hide" }, "Close")}
          <a class="button" href={url} download>
            Download
          </a>
        </div>,
      )}
    </>
  );
};

const pictureId = (url: string): string => `picture-${versionOf(url)}`;

/** The button for the image before or after an image. Its script makes it visible, and arrow keys press it. */
const Turn = ({
  to,
  arrow,
  word,
}: {
  readonly to: string | undefined;
  readonly arrow: "ArrowLeft" | "ArrowRight";
  readonly word: string;
}) =>
  to === undefined ? null : (
    <button type="button" data-picture={pictureId(to)} data-arrow={arrow} hidden>
      {word}
    </button>
  );

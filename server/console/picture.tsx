import { h } from "preact";
import { versionOf } from "./filled-form.ts";

export interface PictureProps {
  readonly url: string;
  readonly alt: string;
}

/** A small image. A click opens it in full over the page; Escape closes it. */
export const Picture = ({ url, alt }: PictureProps) => {
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
        { class: "lightbox", id, popover: "auto" },
        <img src={url} alt={`${alt}, in full`} loading="lazy" />,
        <div class="actions">
          {h("button", { type: "button", popovertarget: id, popovertargetaction: "hide" }, "Close")}
          <a class="button" href={url} download>
            Download
          </a>
        </div>,
      )}
    </>
  );
};

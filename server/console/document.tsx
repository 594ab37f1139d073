import type { ComponentChildren } from "preact";
import { visibleLine } from "../../src/words/hidden.ts";
import { type Asset, assets } from "./assets.ts";
import { versionOf } from "./filled-form.ts";
import type { Links } from "./links.ts";

export interface DocumentProps {
  readonly links: Links;
  readonly title: string;
  /** The page's own address, if the page may be the answer to a form. */
  readonly address?: string | undefined;
  /** The e-mail address of the signed-in person. Only their own drafts are shown to them. */
  readonly person?: string;
  /** The path before the API's addresses, for the scripts of a page that calls the API. */
  readonly base?: string;
  /** Scripts besides the one of every page. */
  readonly scripts?: readonly Asset[];
  readonly children: ComponentChildren;
}

/** The shell of every page. */
export const Document = ({ links, title, address, person, base, scripts = [], children }: DocumentProps) => (
  <html
    lang="en"
    data-person={person && versionOf(person)}
    data-drafts={person && links.drafts}
    data-address={address}
    data-base={base}
  >
    <head>
      <meta charset="utf-8" />
      <title>{`${visibleLine(title)} · Innkeep`}</title>
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <link rel="icon" type="image/svg+xml" href={links.asset(assets.icon.name)} />
      <link rel="stylesheet" href={links.asset(assets.style.name)} />
      <script src={links.asset(assets.script.name)} defer />
      {scripts.map(({ name }) => (
        <script key={name} src={links.asset(name)} defer />
      ))}
    </head>
    <body>
      <a class="skip" href="#main">
        Skip to content
      </a>
      {children}
      <div class="unseen" id="announced" aria-live="polite" />
    </body>
  </html>
);

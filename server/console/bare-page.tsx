import type { ComponentChildren } from "preact";
import { Brand } from "./brand.tsx";
import { Document } from "./document.tsx";
import type { Links } from "./links.ts";

export interface BarePageProps {
  readonly links: Links;
  readonly title: string;
  readonly children: ComponentChildren;
}

/** A page without navigation, for one purpose. It works without a console session. */
export const BarePage = ({ links, title, children }: BarePageProps) => (
  <Document links={links} title={title}>
    <main class="alone" id="main" tabIndex={-1}>
      <Brand links={links} />
      {children}
    </main>
  </Document>
);

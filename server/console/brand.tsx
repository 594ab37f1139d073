import { assets } from "./assets.ts";
import type { Links } from "./links.ts";

export const Brand = ({ links }: { readonly links: Links }) => (
  <a class="brand" href={links.home} aria-label="Innkeep, home">
    <img src={links.asset(assets.icon.name)} alt="" width="28" height="28" />
    <span class="word">Innkeep</span>
  </a>
);

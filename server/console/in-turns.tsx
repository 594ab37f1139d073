import { cloneElement, createContext, h, type VNode } from "preact";
import { useContext } from "preact/hooks";
import { renderToString } from "preact-render-to-string";
import { waitIfTurnIsLong } from "../event-loop.ts";

/**
 * The items of a list that can be long. They are rendered after the rest of the page. The server handles other requests
 * in between.
 */
export const InTurns = ({ children }: { readonly children: readonly VNode[] }, context: object) => {
  const later = useContext(Later);
  if (later === undefined) return <>{children}</>;
  later.push({ items: children, context });
  // Each list needs a new element. The renderer links the element to its page. With a shared element, the last page
  // would stay in memory.
  return h(place, {});
};

/**
 * Returns the HTML of a document, in UTF-8. The server handles other requests while it renders the items of long lists.
 */
export async function renderInTurns(document: VNode): Promise<Buffer> {
  // Each piece is encoded separately, because encoding the whole text in one step would block other requests.
  const pieces = [Buffer.from("<!doctype html>")];
  const page = renderAround(document, {});
  const isLong = page.lists.some(({ items }) => items.length > mostItemsOfShort);
  if (isLong) await fillLong(page, pieces);
  else await fill(page, { pieces, pause: waitIfTurnIsLong });
  return Buffer.concat(pieces);
}

/** A page is long if one of its lists has more items than this. */
const mostItemsOfShort = 100;

/** How many long pages are rendered with pauses at the same time. */
const mostLongPages = 4;
let longPages = 0;

/**
 * Renders the lists of a long page. During its pauses, the page keeps its data in memory. If many pages are already
 * rendered with pauses, this one is rendered without them. So a large number of requests at the same time cannot fill
 * the memory.
 */
async function fillLong(page: Around, pieces: Buffer[]): Promise<void> {
  if (longPages >= mostLongPages) return fill(page, { pieces, pause: async () => {} });
  longPages += 1;
  try {
    await fill(page, { pieces, pause: waitIfTurnIsLong });
  } finally {
    longPages -= 1;
  }
}

async function fill(
  { html, lists }: Around,
  output: {
    readonly pieces: Buffer[];
    /** A function that is called before each item. */
    readonly pause: () => Promise<void>;
  },
): Promise<void> {
  output.pieces.push(Buffer.from(html[0] ?? ""));
  for (const [at, { items, context }] of lists.entries()) {
    for (const item of items) {
      await output.pause();
      // A copy of the item is rendered. The page keeps its items until the end, and an item keeps its rendered content.
      // The copy is freed immediately.
      await fill(renderAround(cloneElement(item), context), output);
    }
    output.pieces.push(Buffer.from(html[at + 1] ?? ""));
  }
}

/** A rendered page or item: the HTML before and after each list, and the lists. */
interface Around {
  readonly html: readonly string[];
  readonly lists: readonly LongList[];
}

function renderAround(content: VNode, context: object): Around {
  const lists: LongList[] = [];
  const html = renderToString(<Later.Provider value={lists}>{content}</Later.Provider>, context);
  return { html: lists.length === 0 ? [html] : html.split(`<${place}></${place}>`), lists };
}

/** A list that is not rendered yet, with the context for its components. */
interface LongList {
  readonly items: readonly VNode[];
  readonly context: object;
}

/** Collects the lists that are found while a page or an item is rendered. */
const Later = createContext<LongList[] | undefined>(undefined);

/**
 * The name of the element that marks the position of a list. Texts of people cannot contain this element, because they
 * are escaped.
 */
const place = "innkeep-list";

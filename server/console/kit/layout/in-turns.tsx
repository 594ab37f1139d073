import { cloneElement, createContext, h, type VNode } from "preact";
import { useContext } from "preact/hooks";
import { renderToString } from "preact-render-to-string";
import { waitIfTurnIsLong } from "../../../turns.ts";

interface InTurnsProps {
  readonly children: readonly VNode[];
}

/** The items of a list that can be long. They are rendered after the page around them, in several turns if they need them. */
export const InTurns = ({ children }: InTurnsProps, context: object) => {
  const later = useContext(Later);
  if (later === undefined) return <>{children}</>;
  later.push({ items: children, context });
  return place;
};

/** The HTML of a document, in UTF-8. Other requests are answered while it renders the items of a long list. */
export async function renderInTurns(document: VNode): Promise<Buffer> {
  // Each piece is encoded at once. Encoding a long text that was put together from many would fill a turn.
  const pieces = [Buffer.from("<!doctype html>")];
  await render(document, {}, pieces);
  return Buffer.concat(pieces);
}

async function render(content: VNode, context: object, pieces: Buffer[]): Promise<void> {
  await waitIfTurnIsLong();
  const later: LongList[] = [];
  const around = renderToString(<Later.Provider value={later}>{content}</Later.Provider>, context);
  const [first = "", ...rest] = later.length === 0 ? [around] : around.split(placeAsHtml);
  pieces.push(Buffer.from(first));
  for (const [at, list] of later.entries()) {
    // An item keeps all that was rendered of it, and the page keeps its items until its end. A copy is gone at once.
    for (const item of list.items) await render(cloneElement(item), list.context, pieces);
    pieces.push(Buffer.from(rest[at] ?? ""));
  }
}

/** A list that is not rendered yet, and the values that its components take from the page around it. */
interface LongList {
  readonly items: readonly VNode[];
  readonly context: object;
}

/** The long lists that were found in the content that is being rendered. */
const Later = createContext<LongList[] | undefined>(undefined);

/** Stands for a long list in the page around it. Texts of people cannot hold it, because they are escaped. */
const place = h("innkeep-list", {});
const placeAsHtml = "<innkeep-list></innkeep-list>";

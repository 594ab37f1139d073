import type { VNode } from "preact";
import { renderToString } from "preact-render-to-string";
import { describe, expect, it } from "vitest";
import { Can, RoleHere } from "../../../server/console/parts.tsx";
import { InTurns, renderInTurns } from "../../../server/console/respond.tsx";
import { stopMeasuredTime } from "../../support/measured-time.ts";

describe("a page with long lists that is created in small steps", () => {
  it("is the same text as a page that is created at once", async () => {
    const page = (
      <main>
        <h1>Lists</h1>
        <List texts={texts(30)} />
        <p>between</p>
        <List texts={[]} />
        <List texts={["<innkeep-list></innkeep-list>", "↑ & 🙂"]} />
      </main>
    );
    expect(await textOf(page)).toBe(renderToString(page));
  });

  it("has the lists within lists at their places", async () => {
    const page = (
      <section>
        <InTurns>
          {texts(3).map((text) => (
            <div key={text}>
              <h2>{text}</h2>
              <List texts={[`${text} first`, `${text} second`]} />
              <p>end</p>
            </div>
          ))}
        </InTurns>
      </section>
    );
    expect(await textOf(page)).toBe(renderToString(page));
  });

  it("shows in its lists what the role of the person allows", async () => {
    const page = (
      <RoleHere.Provider value="viewer">
        <InTurns>
          {texts(2).map((text) => (
            <Can key={text} needs="maintainer" otherwise={<i>{text}</i>}>
              <button type="submit">{text}</button>
            </Can>
          ))}
        </InTurns>
      </RoleHere.Provider>
    );
    expect(await textOf(page)).toBe("<i>text 1</i><i>text 2</i>");
  });

  it("allows other work before the next item if an item uses the time of a step", async () => {
    const seen: number[] = [];
    let others = 0;
    const count = () => {
      others += 1;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    const pass = stopMeasuredTime();
    const Slow = () => {
      pass(6);
      seen.push(others);
      return <li />;
    };
    await renderInTurns(
      <ul>
        <InTurns>
          {texts(4).map((text) => (
            <Slow key={text} />
          ))}
        </InTurns>
      </ul>,
    );
    clearImmediate(next);
    expect(new Set(seen).size).toBe(4);
  });

  it("waits until one of four other long pages is done, and allows other work meanwhile", async () => {
    const pass = stopMeasuredTime();
    let rendering = 0;
    let mostRendering = 0;
    let turns = 0;
    const count = () => {
      turns += 1;
      next = setImmediate(count);
    };
    const First = () => {
      rendering += 1;
      mostRendering = Math.max(mostRendering, rendering);
      pass(6);
      return <li />;
    };
    const Last = () => {
      rendering -= 1;
      return <li />;
    };
    let next = setImmediate(count);
    const pages = await Promise.all(Array.from({ length: 9 }, () => textOf(longList(<First />, <Last />))));
    clearImmediate(next);
    expect(mostRendering).toBe(4);
    expect(turns).toBeGreaterThan(9);
    expect(new Set(pages)).toEqual(new Set([renderToString(longList(<li />, <li />))]));
  });

  it("is refused if many long pages wait already, unless its request may have changed something", async () => {
    const pass = stopMeasuredTime();
    const Slow = () => {
      pass(6);
      return <li />;
    };
    const pages = Array.from({ length: 16 }, () => renderInTurns(longList(<Slow />), { canRefuse: true }));
    const refused = renderInTurns(longList(<Slow />), { canRefuse: true });
    const changed = renderInTurns(longList(<Slow />));
    await expect(refused).rejects.toMatchObject({ code: "busy", details: { retryAfterSeconds: 5 } });
    expect(await textOf(<List texts={["short"]} />)).toContain("short");
    expect(new Set([...(await Promise.all(pages)), await changed].map(String)).size).toBe(1);
    await expect(renderInTurns(longList(<Slow />), { canRefuse: true })).resolves.toBeInstanceOf(Buffer);
  });

  it("is not rendered if its client has left while the page waited", async () => {
    const pass = stopMeasuredTime();
    let rendered = 0;
    const Slow = () => {
      pass(6);
      return <li />;
    };
    const Counted = () => {
      rendered += 1;
      return <li />;
    };
    const others = Array.from({ length: 4 }, () => renderInTurns(longList(<Slow />)));
    const left = renderInTurns(longList(<Counted />), { isWanted: () => false });
    await Promise.all([...others, left]);
    expect(rendered).toBe(0);
  });

  it("makes space for other long pages if it fails", async () => {
    const Broken = () => {
      throw new Error("this item is broken");
    };
    const broken = await Promise.allSettled(Array.from({ length: 8 }, () => textOf(longList(<Broken />))));
    expect(new Set(broken.map(({ status }) => status))).toEqual(new Set(["rejected"]));
    expect(await textOf(longList(<li />))).toBe(renderToString(longList(<li />)));
  });

  it("fails with the error of an item", async () => {
    const Broken = () => {
      throw new Error("this item is broken");
    };
    const page = (
      <ul>
        <InTurns>{[<Broken key="1" />, <Broken key="2" />]}</InTurns>
      </ul>
    );
    await expect(renderInTurns(page)).rejects.toThrow("this item is broken");
  });
});

const texts = (count: number): string[] => Array.from({ length: count }, (_, at) => `text ${at + 1}`);

const List = ({ texts }: { readonly texts: readonly string[] }) => (
  <ul>
    <InTurns>
      {texts.map((text) => (
        <li key={text} title={text}>
          {text}
        </li>
      ))}
    </InTurns>
  </ul>
);

const longList = (first: VNode, last?: VNode) => (
  <ul>
    <InTurns>
      {[
        first,
        ...texts(100).map((text) => <li key={text}>{text}</li>),
        ...(last === undefined ? [] : [last]),
      ]}
    </InTurns>
  </ul>
);

async function textOf(page: VNode): Promise<string> {
  return (await renderInTurns(page)).toString().replace("<!doctype html>", "");
}

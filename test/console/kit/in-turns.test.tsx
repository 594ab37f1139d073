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

  it("does not wait if four long pages wait already, so that they cannot fill the memory together", async () => {
    const pass = stopMeasuredTime();
    const Slow = () => {
      pass(6);
      return <li />;
    };
    const long = () => (
      <ul>
        <InTurns>{[<Slow key="slow" />, ...texts(100).map((text) => <li key={text}>{text}</li>)]}</InTurns>
      </ul>
    );
    const waiting = Array.from({ length: 4 }, () => renderInTurns(long()));
    let turns = 0;
    const other = setImmediate(() => {
      turns += 1;
    });
    expect(await textOf(long())).toBe(renderToString(long()));
    expect(turns).toBe(0);
    clearImmediate(other);
    await Promise.all(waiting);

    setImmediate(() => {
      turns += 1;
    });
    await renderInTurns(long());
    await renderInTurns(long());
    expect(turns).toBe(1);
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

async function textOf(page: VNode): Promise<string> {
  return (await renderInTurns(page)).toString().replace("<!doctype html>", "");
}

import { describe, expect, it } from "vitest";
import { createLinks } from "../../../../server/console/links.ts";
import { pages } from "../../../../server/console/page-routes.ts";
import type { Endpoint } from "../../../../src/contract/endpoint.ts";
import { contract } from "../../../../src/contract/index.ts";
import { notMeasured, pagesNotMeasured } from "./not-measured.ts";
import { requests } from "./requests.ts";

const endpoints: [string, Endpoint][] = Object.entries(contract).flatMap(([group, members]) =>
  Object.entries(members).map(([name, endpoint]): [string, Endpoint] => [`${group}.${name}`, endpoint]),
);

const paths = endpoints.map(([name, { method, path }]) => ({ name, method, pattern: patternOf(path) }));

/** Fits the addresses of a path with parameters. */
function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/:\w+/g, "[^/]+")}$`);
}

const measured = requests.map(({ method = "GET", path }) => ({ method, path: path.split("?")[0] ?? "" }));

const endpointsMeasured = new Set(
  measured.flatMap(({ method, path }) =>
    paths.filter((known) => known.method === method && known.pattern.test(path)).map(({ name }) => name),
  ),
);

describe("the benchmark of growth", () => {
  it.each(endpoints)("measures %s, or says why not", (name) => {
    expect(endpointsMeasured.has(name) || notMeasured[name] !== undefined).toBe(true);
  });

  it("gives reasons only for endpoints that exist and are not measured", () => {
    const names = endpoints.map(([name]) => name).filter((name) => !endpointsMeasured.has(name));
    expect(Object.keys(notMeasured).filter((name) => !names.includes(name))).toEqual([]);
  });

  it.each(pages(createLinks("/console")))("opens the page %s, or says why not", (path) => {
    const isOpened = measured.some((each) => each.method === "GET" && patternOf(path).test(each.path));
    expect(isOpened).toBe(pagesNotMeasured[path] === undefined);
  });

  it("gives each request a name of its own", () => {
    const names = requests.map(({ name }) => name);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });
});

import { expect, it } from "vitest";
import { homeFolder } from "../../src/credentials/folders.ts";

const none = () => {
  throw new Error("There is no such user.");
};

it("the home folder is the folder that HOME names, and the folder of the system account if HOME is empty", () => {
  const userInfo = () => ({ homedir: "/home/ada" });
  expect(homeFolder({ homedir: () => "/h", userInfo: none })).toBe("/h");
  expect(homeFolder({ homedir: () => "", userInfo })).toBe("/home/ada");
});

it("the home folder is / if HOME is empty and the system does not know the user", () => {
  expect(homeFolder({ homedir: () => "", userInfo: none })).toBe("/");
});

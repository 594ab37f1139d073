import { expect, it } from "vitest";
import { homeFolder } from "../../src/credentials/folders.ts";

const none = () => {
  throw new Error("There is no such user.");
};

it("is where HOME says, and with an empty HOME where the system says", () => {
  const userInfo = () => ({ homedir: "/home/ada" });
  expect(homeFolder({ homedir: () => "/h", userInfo: none })).toBe("/h");
  expect(homeFolder({ homedir: () => "", userInfo })).toBe("/home/ada");
});

it("is not a folder of the command, if the user is unknown to the system", () => {
  expect(homeFolder({ homedir: () => "", userInfo: none })).toBe("/");
});

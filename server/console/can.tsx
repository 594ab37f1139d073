import { type ComponentChildren, createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Role } from "../../src/contract/endpoint.ts";
import { suffices } from "../access/members/app-roles.ts";

/** What the person is in the app of the page. Pages outside an app are about the person's own things. */
export const RoleHere = createContext<Role>("owner");

export interface CanProps {
  /** The least role for which this part of the page is of use. */
  readonly needs: Role;
  /** What all others see instead. */
  readonly otherwise?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A part of a page that only people see who can use it: a form, or the way to one. */
export const Can = ({ needs, otherwise = null, children }: CanProps) => (
  <>{suffices(useContext(RoleHere), needs) ? children : otherwise}</>
);

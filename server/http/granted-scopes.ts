import { agentScopes, deviceScopes, maintainerScopes, type Scope } from "../../src/contract/endpoint.ts";

/** Of the scopes that this kind of credential can have, those that the stored list grants. */
const grantedOf =
  <S extends Scope>(possible: readonly S[]) =>
  (json: string): S[] => {
    const granted: unknown = JSON.parse(json);
    return possible.filter((scope) => Array.isArray(granted) && granted.includes(scope));
  };

/** Of the scopes of a maintainer token, those that the stored list grants. */
export const maintainerScopesOf = grantedOf(maintainerScopes);
/** Of the scopes of a device token, those that the stored list grants. */
export const deviceScopesOf = grantedOf(deviceScopes);
/** Of the scopes of an agent token, those that the stored list grants. */
export const agentScopesOf = grantedOf(agentScopes);

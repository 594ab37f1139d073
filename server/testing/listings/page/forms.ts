import { cycles } from "../../../../src/contract/cycles.ts";
import { listings } from "../../../../src/contract/listings.ts";
import { changedValues, givenFor } from "../../../console/changed-values.ts";
import { filledAgain } from "../../../console/filled-form.ts";
import { goTo, type Reply, reshowForm } from "../../../console/reply.ts";
import type { SignedInVisit } from "../../../console/visit.ts";
import { readListing, showListing, showNewListing } from "./listing.tsx";
import { currentListing, emptyListing, listingBody } from "./listing-values.ts";

export function createListing(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields, links, param } = visit;
  const params = { appId: param("appId") };
  return reshowForm(
    async () => {
      const body = listingBody(givenFor(fields, emptyListing));
      const { id } = await ask(listings.create, { params, body, idempotencyKey: fields.idempotencyKey });
      return goTo(links.listing(params.appId, id), "listing-created");
    },
    (refusal) => showNewListing(visit, filledAgain(fields, refusal)),
  );
}

export function updateListing(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields } = visit;
  return reshowForm(
    async () => {
      const listing = await readListing(visit);
      const current = currentListing(listing);
      const body = listingBody(changedValues(fields, givenFor(fields, current), current));
      await ask(listings.update, {
        params: { listingId: listing.id },
        body,
        idempotencyKey: fields.idempotencyKey,
      });
      return goTo(addressOf(visit), "changed");
    },
    (refusal) => showListing(visit, { edit: filledAgain(fields, refusal) }),
  );
}

/** Plans a cycle and shows its page. */
export function createCycle(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields, links, param } = visit;
  return reshowForm(
    async () => {
      const { id: listingId } = await readListing(visit);
      const body = { startsOn: fields.text("startsOn"), timezone: fields.text("timezone") };
      const { cycle } = await ask(cycles.create, {
        params: { listingId },
        body,
        idempotencyKey: fields.idempotencyKey,
      });
      return goTo(links.cycle(param("appId"), cycle.id), "cycle-created");
    },
    (refusal) => showListing(visit, { plan: filledAgain(fields, refusal) }),
  );
}

const addressOf = ({ links, param }: SignedInVisit): string =>
  links.listing(param("appId"), param("listingId"));
